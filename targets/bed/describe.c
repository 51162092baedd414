/*
 * describe.c: the documentation of a target, printed from the tables that run it.
 */
#include "targets/bed/describe.h"

#include "targets/bed/bed.h"
#include "targets/bed/json.h"

#include <string.h>
#include <unistd.h>

#define LINE_WIDTH 96

static size_t count_names(const char *const *names)
{
    size_t n = 0;
    while (names != NULL && names[n] != NULL)
        n++;
    return n;
}

static size_t count_corpus(const struct fuzz_target *target)
{
    char path[512], error[CORPUS_ERROR_MAX];
    char **paths;
    size_t count = 0;

    snprintf(path, sizeof(path), "corpus/%s", target->name);
    if (access(path, R_OK) != 0 || !corpus_find(path, &paths, &count, error))
        return 0;
    corpus_paths_free(paths, count);
    return count;
}

static const char *kind_name(const struct fuzz_target *target)
{
    return target->kind == FUZZ_SCENARIO ? "scenario" : "wire";
}

static size_t op_count(const struct fuzz_target *target)
{
    return target->ops != NULL ? target->ops->count : 0;
}

void bed_describe_line(const struct fuzz_target *target)
{
    printf("%-16s %-8s %4zu %6zu %6zu  %s\n", target->name, kind_name(target), op_count(target),
           count_names(target->marks), count_corpus(target), target->property);
}

static const char *arg_kind_name(enum sim_arg_kind kind)
{
    switch (kind) {
    case SIM_ARG_NONE:
        return "none";
    case SIM_ARG_COUNT:
        return "count";
    case SIM_ARG_SIZE:
        return "bytes";
    case SIM_ARG_TIME:
        return "ms";
    case SIM_ARG_CHOICE:
        return "choice";
    case SIM_ARG_MASK:
        return "mask";
    }
    WB_UNREACHABLE();
}

static void describe_arg(const char *name, enum sim_arg_kind kind, const char *const *choices)
{
    if (name == NULL || kind == SIM_ARG_NONE)
        return;
    printf(" %s=", name);
    if (kind != SIM_ARG_CHOICE || choices == NULL) {
        printf("<%s>", arg_kind_name(kind));
        return;
    }
    for (size_t i = 0; choices[i] != NULL; i++)
        printf("%s%s", i > 0 ? "|" : "", choices[i]);
}

static void describe_op(const struct sim_op_desc *op)
{
    printf("  %02x  %s%s", op->opcode, op->name, op->uses_slot ? " sN" : "");
    describe_arg(op->arg_name, op->arg, op->choices);
    describe_arg(op->flags_name, op->flags, op->choices);
    describe_arg(op->ext_name, op->ext, op->choices);
    if (op->opcode == SIM_OP_LIT)
        printf(" BYTES");
    printf("\n        %s\n", op->text != NULL ? op->text : "");
}

static void describe_ops(const struct sim_ops *ops)
{
    for (size_t number = 0; number < 16; number++) {
        bool named = false;
        for (size_t i = 0; i < ops->count; i++) {
            if (ops->ops[i].op_class != number)
                continue;
            if (!named)
                printf("\nclass %zu, %s:\n", number,
                       number < count_names(ops->classes) ? ops->classes[number] : "?");
            named = true;
            describe_op(&ops->ops[i]);
        }
    }
}

/* A line for people, in as many as it takes. */
static void describe_text(const char *text)
{
    size_t column = 0;

    for (const char *word = text; *word != '\0'; word += strspn(word, " ")) {
        size_t len = strcspn(word, " ");

        if (column == 0 || column + 1 + len > LINE_WIDTH)
            column = (size_t)printf("%s%.*s", column == 0 ? "  " : "\n      ", (int)len, word);
        else
            column += (size_t)printf(" %.*s", (int)len, word);
        word += len;
    }
    printf("\n");
}

static void describe_names(const char *title, const char *const *names)
{
    if (count_names(names) == 0)
        return;
    printf("\n%s:\n", title);
    for (size_t i = 0; names[i] != NULL; i++)
        describe_text(names[i]);
}

void bed_describe(const struct fuzz_target *target)
{
    printf("%s, a %s target, %zu corpus files\n%s\n", target->name, kind_name(target),
           count_corpus(target), target->property);
    describe_names("byte 0, the configuration", target->configs);
    describe_names("profile", target->profiles);
    describe_names("knobs, 0 to 255", target->knobs);
    if (target->ops != NULL)
        describe_ops(target->ops);
    describe_names("marks", target->marks);
}

/* ---- JSON ---- */

void bed_json_text(const char *text)
{
    if (text == NULL) {
        printf("null");
        return;
    }
    struct wb_buf out = bed_buf();
    json_put(wb_view_text(text), &out);
    fwrite(out.data, 1, out.len, stdout);
    wb_buf_fini(&out);
}

static void put_member(const char *name, const char *text)
{
    printf(", \"%s\": ", name);
    bed_json_text(text);
}

static void json_names(const char *name, const char *const *names)
{
    printf(", \"%s\": [", name);
    for (size_t i = 0; i < count_names(names); i++) {
        printf("%s", i > 0 ? ", " : "");
        bed_json_text(names[i]);
    }
    printf("]");
}

static void json_arg(const char *what, const char *name, enum sim_arg_kind kind)
{
    if (name == NULL || kind == SIM_ARG_NONE)
        return;
    printf(", \"%s\": {\"kind\": \"%s\"", what, arg_kind_name(kind));
    put_member("name", name);
    printf("}");
}

static void json_op(const struct sim_op_desc *op)
{
    printf("{\"opcode\": %u, \"class\": %u, \"weight\": %u, \"uses_slot\": %s", op->opcode,
           op->op_class, op->weight, op->uses_slot ? "true" : "false");
    put_member("name", op->name);
    put_member("text", op->text);
    json_arg("arg", op->arg_name, op->arg);
    json_arg("flags", op->flags_name, op->flags);
    json_arg("ext", op->ext_name, op->ext);
    if (op->choices != NULL)
        json_names("choices", op->choices);
    printf("}");
}

void bed_describe_json(const struct fuzz_target *target, bool whole)
{
    printf("{\"kind\": \"%s\"", kind_name(target));
    put_member("name", target->name);
    put_member("property", target->property);
    printf(", \"corpus\": %zu", count_corpus(target));
    if (!whole) {
        printf(", \"ops\": %zu, \"marks\": %zu}", op_count(target), count_names(target->marks));
        return;
    }
    json_names("configs", target->configs);
    json_names("profiles", target->profiles);
    json_names("knob_texts", target->knobs);
    json_names("marks", target->marks);
    if (target->ops != NULL) {
        json_names("classes", target->ops->classes);
        printf(", \"knobs\": [");
        for (size_t i = 0; i < 4; i++) {
            printf("%s", i > 0 ? ", " : "");
            bed_json_text(target->ops->knobs != NULL ? target->ops->knobs[i] : NULL);
        }
        printf("]");
    }
    printf(", \"ops\": [");
    for (size_t i = 0; i < op_count(target); i++) {
        printf("%s\n    ", i > 0 ? "," : "");
        json_op(&target->ops->ops[i]);
    }
    printf("]}");
}
