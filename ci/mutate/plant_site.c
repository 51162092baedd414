/*
 * plant_site.c: the sites: what is put around a piece of text, and what its mutants are.
 */
#include "ci/mutate/plant.h"

#include <stdlib.h>
#include <string.h>

struct list {
    CXCursor *at;
    size_t count;
};

static enum CXChildVisitResult take_child(CXCursor c, CXCursor parent, CXClientData data)
{
    struct list *list = data;

    (void)parent;
    list->at = realloc(list->at, (list->count + 1) * sizeof(*list->at));
    if (list->at == NULL)
        abort();
    list->at[list->count++] = c;
    return CXChildVisit_Continue;
}

size_t plant_children(CXCursor c, CXCursor **out)
{
    struct list list = {NULL, 0};

    clang_visitChildren(c, take_child, &list);
    *out = list.at;
    return list.count;
}

CXCursor plant_bare(CXCursor c)
{
    while (clang_getCursorKind(c) == CXCursor_ParenExpr ||
           clang_getCursorKind(c) == CXCursor_UnexposedExpr) {
        CXCursor *child;
        size_t count = plant_children(c, &child);
        if (count != 1) {
            free(child);
            return c;
        }
        c = child[0];
        free(child);
    }
    return c;
}

bool plant_range(struct plant *p, CXCursor c, size_t *begin, size_t *end)
{
    CXSourceRange range = clang_getCursorExtent(c);
    CXFile file = NULL;
    unsigned from = 0, to = 0;

    clang_getFileLocation(clang_getRangeStart(range), &file, NULL, NULL, &from);
    clang_getFileLocation(clang_getRangeEnd(range), NULL, NULL, NULL, &to);
    *begin = from;
    *end = to;
    return file != NULL && clang_File_isEqual(file, clang_getFile(p->unit, p->path)) && from < to &&
           to <= p->len;
}

/* The range of a cursor that text can be put around. */
static bool has_place(struct plant *p, CXCursor c, size_t *begin, size_t *end)
{
    return plant_range(p, c, begin, end) && !p->inside[*begin] && !p->inside[*end] &&
           !p->is_try[*begin];
}

static void around(struct plant *p, size_t b, size_t e, const char *open, const char *close)
{
    plant_edit(p, b, 0, PLANT_OPEN, "%s", open);
    plant_edit(p, e, 0, PLANT_CLOSE, "%s", close);
    p->edits[p->edit_count - 1].serial = SIZE_MAX / 2 - p->edit_count;
}

void plant_negate(struct plant *p, CXCursor c)
{
    enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(c);
    size_t b, e, at;

    if (!has_place(p, c, &b, &e))
        return;
    unsigned id;
    if (op == CXBinaryOperator_EQ || op == CXBinaryOperator_NE) {
        CXCursor *child;
        size_t left_begin, left_end = b;
        if (plant_children(c, &child) == 2)
            plant_range(p, child[0], &left_begin, &left_end);
        free(child);
        const char *sign = op == CXBinaryOperator_EQ ? "==" : "!=";
        const char *found = strstr(p->text + left_end, sign);
        at = found == NULL ? e : (size_t)(found - p->text);
        if (at + 2 > e)
            return;
        id = plant_mutant(p, "cmp", b, e, "%.*s%s%.*s", (int)(at - b), p->text + b,
                          op == CXBinaryOperator_EQ ? "!=" : "==", (int)(e - at - 2),
                          p->text + at + 2);
    } else {
        id = plant_mutant(p, "neg", b, e, "!(%.*s)", (int)(e - b), p->text + b);
    }
    char open[64];
    snprintf(open, sizeof(open), "mutate_not(%u, !!(", id);
    around(p, b, e, open, "))");
}

void plant_compare(struct plant *p, CXCursor c, enum CXBinaryOperatorKind op)
{
    static const char *const macros[] = {"LT", "GT", "LE", "GE"}, *const sign[] = {"<", ">",
                                                                                   "<=", ">="};
    static const char *const first[] = {">=", "<=", ">", "<"}, *const second[] = {"<=", ">=", "<",
                                                                                  ">"};
    size_t which = (size_t)op - CXBinaryOperator_LT, b, e, lb, le, rb, re;
    CXCursor *child;
    bool ok = has_place(p, c, &b, &e) && plant_children(c, &child) == 2;

    if (!ok)
        return;
    ok = has_place(p, child[0], &lb, &le) && has_place(p, child[1], &rb, &re);
    free(child);
    const char *found = ok ? strstr(p->text + le, sign[which]) : NULL;
    if (found == NULL || (size_t)(found - p->text) >= rb)
        return;
    size_t at = (size_t)(found - p->text), wide = strlen(sign[which]);
    unsigned id = plant_mutant(p, "cmp", b, e, "%.*s%s%.*s", (int)(at - b), p->text + b,
                               first[which], (int)(e - at - wide), p->text + at + wide);
    plant_mutant(p, "edge", b, e, "%.*s%s%.*s", (int)(at - b), p->text + b, second[which],
                 (int)(e - at - wide), p->text + at + wide);
    plant_edit(p, b, 0, PLANT_OPEN, "({ __auto_type mutate_a%u = (", id);
    plant_edit(p, at, wide, PLANT_INSTEAD, "); __auto_type mutate_b%u = (", id);
    plant_edit(p, e, 0, PLANT_CLOSE, "); MUTATE_%s(%u, mutate_a%u, mutate_b%u); })", macros[which],
               id, id, id);
    p->edits[p->edit_count - 1].serial = SIZE_MAX / 2 - p->edit_count;
}

static bool is_integer(CXType type)
{
    enum CXTypeKind kind = clang_getCanonicalType(type).kind;

    return kind >= CXType_Bool && kind <= CXType_Int128;
}

void plant_constant(struct plant *p, CXCursor c)
{
    size_t b, e;
    char open[64], close[64];

    if (!has_place(p, c, &b, &e) || !is_integer(clang_getCursorType(c)))
        return;
    for (size_t at = b; at > 0; at--) {
        if (p->text[at - 1] == '[' && p->text[e] == ']' && strncmp(p->text + e, "] =", 3) == 0)
            return; /* a designator */
        if (p->text[at - 1] != ' ')
            break;
    }
    bool is_true = strncmp(p->text + b, "true", e - b) == 0;
    if (is_true || strncmp(p->text + b, "false", e - b) == 0) {
        unsigned id = plant_mutant(p, "const", b, e, is_true ? "false" : "true");
        snprintf(open, sizeof(open), "(mutate_at(%u) ? %d : (", id, !is_true);
        around(p, b, e, open, "))");
        return;
    }
    CXEvalResult value = clang_Cursor_Evaluate(c);
    if (value == NULL)
        return;
    bool is_int = clang_EvalResult_getKind(value) == CXEval_Int;
    bool is_zero = is_int && clang_EvalResult_getAsLongLong(value) == 0;
    clang_EvalResult_dispose(value);
    if (!is_int)
        return;
    bool up_only = is_zero || clang_getCursorKind(c) == CXCursor_CharacterLiteral;
    unsigned id = plant_mutant(p, "const", b, e, "%.*s + 1", (int)(e - b), p->text + b);
    if (!up_only)
        plant_mutant(p, "const", b, e, "%.*s - 1", (int)(e - b), p->text + b);
    snprintf(close, sizeof(close), ") + mutate_up%s(%u))", up_only ? "" : "_down", id);
    around(p, b, e, "((", close);
}

/* ---- returns ---- */

/* The name of a member of an enum by its value; the first one for a value that has none. */
static int member(CXType type, long long value, char name[128])
{
    CXCursor *child;
    size_t count = plant_children(clang_getTypeDeclaration(clang_getCanonicalType(type)), &child);
    long long found = -1;

    name[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        long long v = clang_getEnumConstantDeclValue(child[i]);
        if (clang_getCursorKind(child[i]) != CXCursor_EnumConstantDecl ||
            (v != value && found >= 0) || found == value)
            continue;
        CXString s = clang_getCursorSpelling(child[i]);
        snprintf(name, 128, "%s", clang_getCString(s));
        clang_disposeString(s);
        found = v;
    }
    free(child);
    return (int)found;
}

#define PLANT_AN_ERROR 7 /* WB_E_VALUE, and the eighth member of any other */

static void return_enum(struct plant *p, CXCursor e, size_t b, size_t end)
{
    CXCursor bare = plant_bare(e), decl = clang_getCursorReferenced(bare);
    char first_name[128], second_name[128], open[64], close[96];
    bool is_constant = clang_getCursorKind(decl) == CXCursor_EnumConstantDecl;
    long long value = is_constant ? clang_getEnumConstantDeclValue(decl) : -1;
    long long other = !is_constant || value == 0 ? PLANT_AN_ERROR
                      : value > 1                ? value - 1
                                                 : value + 1;
    int first = member(p->returns, value == 0 ? other : 0, first_name);
    int second = member(p->returns, other, second_name);

    if (first == value)
        first = member(p->returns, 1, first_name);
    unsigned id = plant_mutant(p, "ret", b, end, "%s", first_name);
    bool is_one = second == first || second == value;
    if (!is_one)
        plant_mutant(p, "ret", b, end, "%s", second_name);
    snprintf(open, sizeof(open), "mutate_enum%s(%u, (int)(", is_one ? "1" : "", id);
    if (is_one)
        snprintf(close, sizeof(close), "), %d)", first);
    else
        snprintf(close, sizeof(close), "), %d, %d)", first, second);
    around(p, b, end, open, close);
}

void plant_return(struct plant *p, CXCursor e)
{
    CXType type = clang_getCanonicalType(p->returns);
    enum CXCursorKind kind = clang_getCursorKind(plant_bare(e));
    size_t b, end;
    char open[96], close[128];

    if (!has_place(p, e, &b, &end))
        return;
    if (type.kind == CXType_Enum) {
        return_enum(p, e, b, end);
    } else if (is_integer(type) && kind != CXCursor_IntegerLiteral) {
        unsigned id = plant_mutant(p, "ret", b, end, "0");
        plant_mutant(p, "ret", b, end, "%.*s + 1", (int)(end - b), p->text + b);
        snprintf(open, sizeof(open), "mutate_number(%u, (uint64_t)(", id);
        around(p, b, end, open, "))");
    } else if (type.kind == CXType_Pointer && strncmp(p->text + b, "NULL", 4) != 0) {
        unsigned id = plant_mutant(p, "ret", b, end, "NULL");
        snprintf(open, sizeof(open), "({ __auto_type mutate_r%u = (", id);
        snprintf(close, sizeof(close), "); mutate_null(%u, mutate_r%u != 0) ? 0 : mutate_r%u; })",
                 id, id, id);
        around(p, b, end, open, close);
    } else if (type.kind == CXType_Record) {
        unsigned id = plant_mutant(p, "ret", b, end, "{0}");
        snprintf(open, sizeof(open), "({ __auto_type mutate_r%u = (", id);
        snprintf(close, sizeof(close),
                 "); mutate_at(%u) ? (__typeof__(mutate_r%u)){0} : mutate_r%u; })", id, id, id);
        around(p, b, end, open, close);
    }
}

/* ---- statements and calls ---- */

void plant_drop(struct plant *p, CXCursor c)
{
    size_t b, e;
    char open[64];

    if (!has_place(p, c, &b, &e))
        return;
    unsigned id = plant_mutant(p, "drop", b, e, "(void)0");
    snprintf(open, sizeof(open), "(mutate_at(%u) ? (void)0 : (void)(", id);
    around(p, b, e, open, "))");
}

void plant_skip(struct plant *p, CXCursor c)
{
    size_t b, e;

    if (!plant_range(p, c, &b, &e) || p->inside[b])
        return;
    unsigned id = plant_mutant(p, "drop", b, e, " ");
    plant_edit(p, b, 0, PLANT_OPEN, "if (mutate_at(%u)) ; else ", id);
}

static bool is_pure(CXCursor c)
{
    enum CXCursorKind kind = clang_getCursorKind(c);
    enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(c);
    CXCursor *child;
    size_t count = plant_children(c, &child);
    bool ok = kind != CXCursor_CallExpr && kind != CXCursor_CompoundAssignOperator &&
              kind != CXCursor_InitListExpr && kind != CXCursor_StmtExpr &&
              clang_getCursorBinaryOperatorKind(c) != CXBinaryOperator_Assign &&
              !(op >= CXUnaryOperator_PostInc && op <= CXUnaryOperator_PreDec);

    for (size_t i = 0; ok && i < count; i++)
        ok = is_pure(child[i]);
    free(child);
    return ok;
}

static CXType plain(CXCursor c)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(c));

    if (type.kind == CXType_Pointer)
        type = clang_getCanonicalType(clang_getPointeeType(type));
    return clang_getUnqualifiedType(type);
}

void plant_swap(struct plant *p, CXCursor first, CXCursor second)
{
    size_t b1, e1, b2, e2;
    bool is_pointer = clang_getCanonicalType(clang_getCursorType(first)).kind == CXType_Pointer;

    if (!has_place(p, first, &b1, &e1) || !has_place(p, second, &b2, &e2) || e1 > b2 ||
        !clang_equalTypes(plain(first), plain(second)) || !is_pure(first) || !is_pure(second) ||
        is_pointer != (clang_getCanonicalType(clang_getCursorType(second)).kind == CXType_Pointer))
        return;
    if (e1 - b1 == e2 - b2 && memcmp(p->text + b1, p->text + b2, e1 - b1) == 0)
        return;
    unsigned id = plant_mutant(p, "swap", b1, e2, "%.*s%.*s%.*s", (int)(e2 - b2), p->text + b2,
                               (int)(b2 - e1), p->text + e1, (int)(e1 - b1), p->text + b1);
    for (int i = 0; i < 2; i++) {
        size_t b = i == 0 ? b1 : b2, e = i == 0 ? e1 : e2;
        plant_edit(p, b, 0, PLANT_OPEN, "(mutate_at(%u) ? (%.*s) : (", id,
                   (int)(i == 0 ? e2 - b2 : e1 - b1), p->text + (i == 0 ? b2 : b1));
        plant_edit(p, e, 0, PLANT_CLOSE, "))");
        p->edits[p->edit_count - 1].serial = SIZE_MAX / 2 - p->edit_count;
    }
}

/* Less order in an atomic: none, and of seq_cst only acquire or release. */
void plant_weaken(struct plant *p, CXCursor callee)
{
    static const char *const orders[] = {"_acquire", "_release", "_acq_rel", "_seq_cst"};
    size_t b, e, stem = 0;

    if (!has_place(p, callee, &b, &e) || strncmp(p->text + b, "wb_atomic_", 10) != 0)
        return;
    for (size_t i = 0; i < 4 && stem == 0; i++) {
        if (e - b > 8 && strncmp(p->text + e - 8, orders[i], 8) == 0)
            stem = e - b - 8;
    }
    if (stem == 0)
        return;
    bool is_seq = strncmp(p->text + e - 8, "_seq_cst", 8) == 0;
    unsigned id = plant_mutant(p, "weak", b, e, "%.*s_relaxed", (int)stem, p->text + b);
    if (is_seq)
        plant_mutant(p, "weak", b, e, "%.*s_half", (int)stem, p->text + b);
    plant_edit(p, b, 0, PLANT_OPEN, "(mutate_at(%u) ? mutate_%.*s_relaxed : ", id, (int)stem,
               p->text + b);
    if (is_seq)
        plant_edit(p, b, 0, PLANT_OPEN, "mutate_at(%u) ? mutate_%.*s_half : ", id + 1, (int)stem,
                   p->text + b);
    plant_edit(p, e, 0, PLANT_CLOSE, ")");
}
