/*
 * plant_walk.c: which places of a file get a site. What a macro's use covers is left alone, but for
 * the argument of WB_TRY; so are constant expressions, whose value is not of a run.
 */
#include "ci/mutate/plant.h"

#include <stdlib.h>
#include <string.h>

/* What a place is used for. */
enum use { IS_VALUE, IS_STATEMENT, IS_CONDITION, IS_BOUND };

static void walk(struct plant *p, CXCursor c, enum use use);

static void walk_all(struct plant *p, CXCursor c, size_t from, enum use use)
{
    CXCursor *child;
    size_t count = plant_children(c, &child);

    for (size_t i = from; i < count; i++)
        walk(p, child[i], use);
    free(child);
}

/* ---- statements ---- */

static void walk_for(struct plant *p, CXCursor c)
{
    CXCursor *child;
    size_t begin, end, at, first = 0, second = 0, depth = 0, count = plant_children(c, &child);

    if (plant_range(p, c, &begin, &end)) {
        for (at = begin; at < end && second == 0; at++) {
            depth += p->text[at] == '(' || p->text[at] == '{';
            depth -= p->text[at] == ')' || p->text[at] == '}';
            if (p->text[at] == ';' && depth == 1)
                *(first == 0 ? &first : &second) = at;
        }
    }
    for (size_t i = 0; i < count; i++) {
        bool has = plant_range(p, child[i], &begin, &end);
        if (i + 1 == count)
            walk(p, child[i], IS_STATEMENT);
        else if (has)
            walk(p, child[i], begin > first && begin < second ? IS_CONDITION : IS_VALUE);
    }
    free(child);
}

static void walk_branches(struct plant *p, CXCursor c, size_t condition)
{
    CXCursor *child;
    size_t count = plant_children(c, &child);

    for (size_t i = 0; i < count; i++)
        walk(p, child[i], i == condition ? IS_CONDITION : IS_STATEMENT);
    free(child);
}

static void walk_variable(struct plant *p, CXCursor c)
{
    enum CX_StorageClass storage = clang_Cursor_getStorageClass(c);
    CXCursor init = clang_Cursor_getVarDeclInitializer(c);

    if (storage != CX_SC_Static && storage != CX_SC_Extern && !clang_Cursor_isNull(init))
        walk(p, init, IS_VALUE);
}

static void walk_return(struct plant *p, CXCursor c)
{
    CXCursor *child;
    size_t count = plant_children(c, &child);
    bool is_bool = clang_getCanonicalType(p->returns).kind == CXType_Bool;

    if (count == 0)
        plant_skip(p, c);
    for (size_t i = 0; i < count; i++) {
        enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(plant_bare(child[i]));

        if (!is_bool)
            plant_return(p, child[i]);
        else if (op == CXBinaryOperator_LAnd || op == CXBinaryOperator_LOr)
            plant_negate(p, child[i]);
        walk(p, child[i], is_bool ? IS_CONDITION : IS_VALUE);
    }
    free(child);
}

/* True when the cursor was a statement of its own and is done. */
static bool walk_statement(struct plant *p, CXCursor c, enum CXCursorKind kind)
{
    CXCursor *child;
    size_t count;

    switch ((int)kind) {
    case CXCursor_CompoundStmt:
        walk_all(p, c, 0, IS_STATEMENT);
        return true;
    case CXCursor_IfStmt:
    case CXCursor_WhileStmt:
        walk_branches(p, c, 0);
        return true;
    case CXCursor_DoStmt:
        walk_branches(p, c, 1);
        return true;
    case CXCursor_ForStmt:
        walk_for(p, c);
        return true;
    case CXCursor_SwitchStmt:
        count = plant_children(c, &child);
        for (size_t i = 0; i < count; i++)
            walk(p, child[i], i == 0 ? IS_VALUE : IS_STATEMENT);
        free(child);
        return true;
    case CXCursor_CaseStmt:
        walk_all(p, c, 1, IS_STATEMENT);
        return true;
    case CXCursor_DefaultStmt:
    case CXCursor_LabelStmt:
        walk_all(p, c, 0, IS_STATEMENT);
        return true;
    case CXCursor_ReturnStmt:
        walk_return(p, c);
        return true;
    case CXCursor_BreakStmt:
    case CXCursor_ContinueStmt:
    case CXCursor_GotoStmt:
        plant_skip(p, c);
        return true;
    case CXCursor_DeclStmt:
        walk_all(p, c, 0, IS_VALUE);
        return true;
    case CXCursor_VarDecl:
        walk_variable(p, c);
        return true;
    default:
        return false;
    }
}

/* ---- expressions ---- */

static void walk_call(struct plant *p, CXCursor c)
{
    int count = clang_Cursor_getNumArguments(c);
    CXCursor *child;

    if (plant_children(c, &child) > 0) {
        plant_weaken(p, child[0]);
        if (clang_getCursorKind(plant_bare(child[0])) != CXCursor_DeclRefExpr)
            walk(p, child[0], IS_VALUE);
    }
    free(child);
    for (int i = 0; i < count; i++) {
        CXCursor argument = clang_Cursor_getArgument(c, (unsigned)i);
        if (i + 1 < count)
            plant_swap(p, argument, clang_Cursor_getArgument(c, (unsigned)i + 1));
        walk(p, argument, IS_VALUE);
    }
}

static void walk_binary(struct plant *p, CXCursor c, enum use use)
{
    enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(c);

    if (op == CXBinaryOperator_LAnd || op == CXBinaryOperator_LOr) {
        walk_all(p, c, 0, IS_CONDITION);
    } else if (op == CXBinaryOperator_EQ || op == CXBinaryOperator_NE) {
        plant_negate(p, c);
        walk_all(p, c, 0, IS_VALUE);
    } else if (op >= CXBinaryOperator_LT && op <= CXBinaryOperator_GE) {
        plant_compare(p, c, op);
        walk_all(p, c, 0, IS_BOUND);
    } else {
        if (use == IS_CONDITION)
            plant_negate(p, c);
        walk_all(p, c, 0, IS_VALUE);
    }
}

static void walk_expression(struct plant *p, CXCursor c, enum CXCursorKind kind, enum use use)
{
    CXCursor *child;
    size_t count;

    switch ((int)kind) {
    case CXCursor_ParenExpr:
    case CXCursor_UnexposedExpr:
        walk_all(p, c, 0, use);
        return;
    case CXCursor_BinaryOperator:
        walk_binary(p, c, use);
        return;
    case CXCursor_UnaryOperator:
        if (clang_getCursorUnaryOperatorKind(c) == CXUnaryOperator_LNot) {
            walk_all(p, c, 0, IS_CONDITION);
            return;
        }
        break;
    case CXCursor_ConditionalOperator:
        count = plant_children(c, &child);
        for (size_t i = 0; i < count; i++)
            walk(p, child[i], i == 0 ? IS_CONDITION : IS_VALUE);
        free(child);
        return;
    case CXCursor_IntegerLiteral:
    case CXCursor_CharacterLiteral:
        if (use != IS_BOUND)
            plant_constant(p, c);
        return;
    case CXCursor_UnaryExpr: /* sizeof */
    case CXCursor_StmtExpr:
        return;
    default:
        break;
    }
    if (use == IS_CONDITION)
        plant_negate(p, c);
    if (kind == CXCursor_CallExpr)
        walk_call(p, c);
    else
        walk_all(p, c, 0, IS_VALUE);
}

/* A use of a macro: a statement may go, a number may be another, a condition its opposite. */
static void walk_macro(struct plant *p, CXCursor c, size_t begin, enum use use)
{
    bool is_ours = strncmp(p->text + begin, "WB_", 3) == 0;

    if (use == IS_STATEMENT && !is_ours)
        plant_skip(p, c);
    if (use == IS_CONDITION && strncmp(p->text + begin, "true", 4) != 0 &&
        strncmp(p->text + begin, "false", 5) != 0)
        plant_negate(p, c);
    else if (use == IS_VALUE || use == IS_CONDITION)
        plant_constant(p, c);
}

static bool is_effect(CXCursor c, enum CXCursorKind kind)
{
    enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(c);

    return kind == CXCursor_CallExpr || kind == CXCursor_CompoundAssignOperator ||
           (kind == CXCursor_BinaryOperator &&
            clang_getCursorBinaryOperatorKind(c) == CXBinaryOperator_Assign) ||
           (kind == CXCursor_CStyleCastExpr && clang_getCursorType(c).kind == CXType_Void) ||
           (kind == CXCursor_UnaryOperator && op >= CXUnaryOperator_PostInc &&
            op <= CXUnaryOperator_PreDec);
}

static void walk(struct plant *p, CXCursor c, enum use use)
{
    enum CXCursorKind kind = clang_getCursorKind(c);
    size_t begin, end;

    if (!plant_range(p, c, &begin, &end))
        return;
    if (p->is_try[begin] && kind == CXCursor_DoStmt) {
        plant_skip(p, c);
        walk_all(p, c, 0, use);
        return;
    }
    if (p->cover[begin] >= end) {
        walk_macro(p, c, begin, use);
        return;
    }
    if (walk_statement(p, c, kind))
        return;
    if (use == IS_STATEMENT && is_effect(c, kind))
        plant_drop(p, c);
    walk_expression(p, c, kind, use == IS_STATEMENT ? IS_VALUE : use);
}

/* ---- the file ---- */

/* Walks that only look for bugs of ours, and their end: they are the oracle, not what it judges. */
static bool is_left_out(const char *name)
{
    size_t len = strlen(name);

    return (len > 6 && strcmp(name + len - 6, "_check") == 0) || strncmp(name, "check_", 6) == 0 ||
           strcmp(name, "wb_panic") == 0;
}

static void plant_function(struct plant *p, CXCursor c)
{
    CXString name = clang_getCursorSpelling(c);
    size_t begin, end;

    if (plant_range(p, c, &begin, &end) && !is_left_out(clang_getCString(name))) {
        free(p->function);
        p->function = strdup(clang_getCString(name));
        p->function_hash = plant_hash(p->text + begin, end - begin, 0);
        p->returns = clang_getCursorResultType(c);
        p->name_count = 0;
        CXCursor *child;
        size_t count = plant_children(c, &child);
        for (size_t i = 0; i < count; i++) {
            if (clang_getCursorKind(child[i]) == CXCursor_CompoundStmt)
                walk(p, child[i], IS_STATEMENT);
        }
        free(child);
    }
    clang_disposeString(name);
}

static void note_macro(struct plant *p, CXCursor c)
{
    CXSourceRange range = clang_getCursorExtent(c);
    unsigned begin, end;

    clang_getFileLocation(clang_getRangeStart(range), NULL, NULL, NULL, &begin);
    clang_getFileLocation(clang_getRangeEnd(range), NULL, NULL, NULL, &end);
    if (end > p->len || begin >= end)
        return;
    if (strncmp(p->text + begin, "WB_TRY(", 7) == 0) {
        p->is_try[begin] = true;
        return;
    }
    for (size_t i = begin; i < end; i++) {
        p->inside[i] |= i > begin;
        p->cover[i] = p->cover[i] < end ? end : p->cover[i];
    }
}

void plant_walk(struct plant *p)
{
    CXCursor *child;
    size_t count = plant_children(clang_getTranslationUnitCursor(p->unit), &child);

    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < count; i++) {
            enum CXCursorKind kind = clang_getCursorKind(child[i]);

            if (!clang_Location_isFromMainFile(clang_getCursorLocation(child[i])))
                continue;
            if (pass == 0 && kind == CXCursor_MacroExpansion)
                note_macro(p, child[i]);
            if (pass == 1 && kind == CXCursor_FunctionDecl && clang_isCursorDefinition(child[i]))
                plant_function(p, child[i]);
        }
    }
    free(child);
    if (strcmp(p->path, "core/base/atomic.h") == 0) {
        size_t at = p->len;
        while (at > 0 && strncmp(p->text + at, "#endif", 6) != 0)
            at--;
        plant_edit(p, at, 0, PLANT_OPEN, "#include \"ci/mutate/weak.h\"\n");
    }
}
