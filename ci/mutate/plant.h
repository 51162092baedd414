/*
 * plant.h: a file of the core while it is planted: its text, what is put into it where, and the
 * table of its mutants.
 */
#ifndef MUTATE_PLANT_H
#define MUTATE_PLANT_H

#include <clang-c/Index.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PLANT_IDS  4096 /* of one file */
#define PLANT_TEXT 200  /* of a mutant, as people read it */

/* At one place: what closes comes first, then what stands in for a token, then what opens. */
enum plant_order { PLANT_CLOSE, PLANT_INSTEAD, PLANT_OPEN };

struct plant_edit {
    size_t at, gone; /* bytes of the file that go */
    enum plant_order order;
    size_t serial; /* of its making: outer ones open first and close last */
    char *text;
};

struct plant_name { /* one mutant of a function, to number those that look alike */
    uint64_t hash;
    unsigned count;
};

struct plant {
    const char *path;
    char *text;
    size_t len;
    unsigned next; /* id */
    /* By byte: strictly inside of a macro's use; the end of the longest use over it, 0 = none. */
    bool *inside;
    size_t *cover;
    bool *is_try; /* a use of a macro begins here whose argument is planted */
    struct plant_edit *edits;
    size_t edit_count;
    char *function;
    uint64_t function_hash;
    CXType returns;
    struct plant_name names[PLANT_IDS];
    size_t name_count;
    FILE *table;
    CXTranslationUnit unit;
};

/* Reads the file. False after a message. */
bool plant_open(struct plant *p, const char *path, unsigned first_id, FILE *table);
void plant_close(struct plant *p);
/* Puts text at a place; `gone` bytes from there on are left out. */
void plant_edit(struct plant *p, size_t at, size_t gone, enum plant_order order, const char *format,
                ...) __attribute__((format(printf, 5, 6)));
/* One line of the table for the next id, which is returned: bytes [begin, end) become the text. */
unsigned plant_mutant(struct plant *p, const char *kind, size_t begin, size_t end,
                      const char *format, ...) __attribute__((format(printf, 5, 6)));
/* The file with its edits, written to `path` unless it is the same there. False after a message. */
bool plant_write(struct plant *p, const char *path);
uint64_t plant_hash(const char *text, size_t len, uint64_t seed);
/* ---- plant_walk.c ---- */

void plant_walk(struct plant *p);

/* ---- plant_site.c: each plants one kind of site and says so in the table ---- */

bool plant_range(struct plant *p, CXCursor c, size_t *begin, size_t *end);
/* The cursor without parentheses and implicit conversions. */
CXCursor plant_bare(CXCursor c);
size_t plant_children(CXCursor c, CXCursor **out);
void plant_negate(struct plant *p, CXCursor c);
void plant_compare(struct plant *p, CXCursor c, enum CXBinaryOperatorKind op);
void plant_constant(struct plant *p, CXCursor c);
void plant_return(struct plant *p, CXCursor e);
void plant_drop(struct plant *p, CXCursor c);
/* A statement that is no expression, or comes out of a macro. */
void plant_skip(struct plant *p, CXCursor c);
void plant_swap(struct plant *p, CXCursor first, CXCursor second);
void plant_weaken(struct plant *p, CXCursor callee);

#endif
