/*
 * main.c: `bed`, the tool around the targets. Commands register themselves; this file finds and
 * calls them.
 */
#include "targets/bed/bed.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

extern const struct bed_command *const __start_bed_commands[];
extern const struct bed_command *const __stop_bed_commands[];

static const char *program = "bed";

const char *bed_program(void)
{
    return program;
}

int bed_cannot(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fflush(stdout);
    fputs("bed: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return BED_CANNOT;
}

int bed_misuse(const char *command)
{
    return bed_cannot("see `%s help %s`", program, command);
}

int bed_wrong(const char *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fflush(stdout);
    fprintf(stderr, "bed: %s: ", command);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return bed_misuse(command);
}

static size_t command_count(void)
{
    return (size_t)(__stop_bed_commands - __start_bed_commands);
}

static const struct bed_command *command_find(const char *name)
{
    for (size_t i = 0; i < command_count(); i++)
        if (strcmp(__start_bed_commands[i]->name, name) == 0)
            return __start_bed_commands[i];
    return NULL;
}

static int by_name(const void *a, const void *b)
{
    const struct bed_command *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static void help_all(FILE *out)
{
    size_t count = command_count();
    const struct bed_command **sorted = bed_take(count * sizeof(*sorted));

    memcpy(sorted, __start_bed_commands, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), by_name);
    fprintf(out, "usage: %s COMMAND [ARGUMENT]...\n\n", program);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "  %-8s %s\n", sorted[i]->name, sorted[i]->text);
    fputs("\n`help COMMAND` says more. Exit codes: 0 pass, 1 found something, 2 could not run.\n",
          out);
    free(sorted);
}

static int help_of(const struct bed_command *command)
{
    printf("usage: %s %s %s\n\n%s.\n", program, command->name, command->usage, command->text);
    return BED_PASS;
}

static bool asks_for_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* NULL after a message. */
static const struct bed_command *command_named(const char *name)
{
    const struct bed_command *command = command_find(name);
    if (command == NULL)
        bed_cannot("no command `%s'; `%s help` lists them", name, program);
    return command;
}

static int bed_help(int argc, char **argv)
{
    if (argc < 2) {
        help_all(stdout);
        return BED_PASS;
    }
    const struct bed_command *command = command_named(argv[1]);
    return command != NULL ? help_of(command) : BED_CANNOT;
}

BED_COMMAND(.name = "help", .text = "what the commands do", .usage = "[COMMAND]", .run = bed_help);

int main(int argc, char **argv)
{
    if (argc > 0)
        program = argv[0];
    if (argc < 2) {
        help_all(stderr);
        return BED_CANNOT;
    }
    const struct bed_command *command = command_named(asks_for_help(argv[1]) ? "help" : argv[1]);
    if (command == NULL)
        return BED_CANNOT;
    bool asks = argc > 2 && asks_for_help(argv[2]);
    int status = asks ? help_of(command) : command->run(argc - 1, argv + 1);
    if ((fflush(stdout) != 0 || ferror(stdout)) && status != BED_CANNOT)
        status = bed_cannot("stdout: cannot be written");
    return status;
}
