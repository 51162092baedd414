/*
 * bed.h: what the files of the tool share. A subcommand is one file: its function, and one
 * BED_COMMAND line, which is its registration.
 *
 * A command returns what the program exits with: 0 pass, 1 found something, 2 could not run. For 2
 * it has said why, as `bed: file:line: rule` on stderr, and has written nothing.
 */
#ifndef BED_H
#define BED_H

#include "core/base/buf.h"
#include "targets/driver/corpus.h"
#include "targets/driver/replay.h"

#include <limits.h>
#include <stdio.h>
#include <time.h>

enum { BED_PASS = 0, BED_FOUND = 1, BED_CANNOT = 2 };

struct bed_command {
    const char *name;
    const char *text; /* one line for `bed help` */
    const char
        *usage; /* what stands after the name, then lines about options, for `bed help NAME` */
    int (*run)(int argc, char **argv); /* argv[0] is the command's name; getopt starts afresh */
};

#define BED_COMMAND(...)                                                                           \
    static const struct bed_command bed_this = {__VA_ARGS__};                                      \
    static const struct bed_command *const bed_entry                                               \
        __attribute__((section("bed_commands"), used)) = &bed_this

/* How the program was called, for the commands it prints. */
const char *bed_program(void);
/* Says `bed: ...` on stderr and returns BED_CANNOT. */
int bed_cannot(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* For a wrong option or argument: points at `bed help NAME` and returns BED_CANNOT. */
int bed_misuse(const char *command);
/* The same with a reason. */
int bed_wrong(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- options.c ---- */

/* An option sets one of these: what stands behind it, a number of at most `max`, or that it is
 * there. The one that is called `out` is -o too. */
struct bed_option {
    const char *name; /* NULL ends a table */
    const char **text;
    uint64_t *number;
    uint64_t max;
    bool *flag;
};

/* Reads all options; the arguments, between `least` and `most`, are at argv[optind] then. False
 * after a message. */
bool bed_options(int argc, char **argv, const struct bed_option *options, int least, int most);

/* ---- file.c: files and arguments ---- */

/* A malloc'd copy of at least one byte; a refusal ends the program. */
void *bed_take(size_t size);
/* Ends the program with BED_CANNOT unless `err` is WB_OK: for buffers, which fail only out of
 * memory or over their limit. */
void bed_must(enum wb_err err);
/* An empty buffer for files and texts. */
struct wb_buf bed_buf(void);
void bed_buf_print(struct wb_buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A whole number in decimal, at most `max`; `what` names it in the message. False when it said why
 * not. */
bool bed_number(const char *what, const char *text, uint64_t max, uint64_t *out);
/* The target of that name, or NULL after a message. */
const struct fuzz_target *bed_target(const char *name);
/* Reads a whole file ("-" is stdin). False after a message. `out` is a bed_buf the caller gives
 * back either way. */
bool bed_read(const char *path, struct wb_buf *out);
/*
 * Writes a whole file or none: beside its place first, then moved there. NULL or "-" is stdout.
 * Into a pipe, a device or a link it writes directly. Without `replace` what exists is refused.
 * False after a message.
 */
bool bed_write(const char *path, struct wb_view bytes, bool replace);
/* Makes the folder and those above it. False after a message. */
bool bed_mkdir(const char *path);
/* What a command's options say of the files that it reads. */
#define BED_SOURCE(source)                                                                         \
    {.name = "target", .text = &(source).target},                                                  \
    {                                                                                              \
        .name = "whole", .flag = &(source).is_whole                                                \
    }
#define BED_SOURCE_HELP                                                                            \
    "Raw bytes of a wire target are captured protocol bytes; what an engine wrote, or\n"           \
    "all with --whole, has the configuration as byte 0. - is raw bytes from stdin."
struct bed_source {
    const char *target; /* NULL: files below corpus/NAME/ or found/NAME/ only */
    bool is_whole;      /* raw bytes are whole inputs, whoever wrote them */
};
/* Loads a corpus file (corpus_load). False after a message. */
bool bed_load_from(const char *path, const struct bed_source *source, struct corpus_file *out);
bool bed_load(const char *path, const char *target_name, struct corpus_file *out);
/* Loads a file and gives its input with that configuration, counted from 0; both are the caller's.
 * NULL after a message, with nothing to free. */
uint8_t *bed_input(const char *path, const struct bed_source *source, uint64_t config,
                   struct corpus_file *out, size_t *out_len);
/* Corpus files in the order of their paths. */
struct bed_files {
    struct corpus_file *at;
    size_t count, capacity;
};
/* Adds each file below `path`. False after messages when some could not be read. */
bool bed_files_add(struct bed_files *files, const char *path, const struct bed_source *source);
void bed_files_free(struct bed_files *files);
uint64_t bed_clock_ns(clockid_t clock);

/* ---- text.c: inputs as text ---- */

/* Appends what `path` says in comments before and between its lines that tools read; nothing for
 * raw files. */
bool bed_text_head(const char *path, struct wb_buf *out);
/* Appends a whole input as text: a scenario, or `# config:` and the wire bytes. */
void bed_text_input(const struct fuzz_target *target, struct wb_view input, struct wb_buf *out);
/* ".scn" or ".hex". */
const char *bed_text_ending(const struct fuzz_target *target);

/* ---- finding.c: telling a person what was found ---- */

/*
 * Prints a failed input: invariant and sentence, the input as text, the end of the report with the
 * last steps, and the command that replays `path`, with
 * --whole if it is to be.
 */
void bed_finding_print(const struct fuzz_target *target, struct wb_view input,
                       const struct replay_verdict *verdict, const char *path, bool is_whole,
                       FILE *out);
/* Prints text with each line moved in. */
void bed_finding_indented(struct wb_view text, FILE *out);
/* Appends the first comment lines of a finding's text: the id and its sentence. */
void bed_finding_head(const char *id, struct wb_buf *out);
/* Prints the command that replays `path`. */
void bed_finding_command(const struct fuzz_target *target, const char *path, bool is_whole,
                         FILE *out);

/* From here on a run that dies in this very process ends it with BED_FOUND, after `tell`. */
void bed_finding_on_death(void (*tell)(int number));
/* The same, and what is told is that this file died, which must stay. */
void bed_finding_in_this_process(const struct corpus_file *file);

#endif
