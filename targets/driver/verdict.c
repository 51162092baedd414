/*
 * verdict.c: reports of the bed, of the core and of the sanitizers, told apart by their first
 * words.
 */
#include "targets/driver/verdict.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* `stop` ends the part that is kept: what follows it differs from run to run, or says the same at
 * length. */
static const struct report_kind {
    const char *words;
    const char *prefix;
    const char *stop;
} report_kinds[] = {
    {"ASSERTION FAILED: WB_ASSERT ", "WB_ASSERT ", " \n"},
    {"ASSERTION FAILED: ", "", " \n"},
    {"AddressSanitizer: ", "asan ", " :\n"},
    {"LeakSanitizer: ", "lsan ", "\n"},
    {"MemorySanitizer: ", "msan ", " \n"},
    {"ThreadSanitizer: ", "tsan ", "0123456789(\n"},
    {": runtime error: ", "ubsan ", "0123456789:-'(\n"},
};

void verdict_id(const char *report, int status, char id[VERDICT_ID_MAX])
{
    const struct report_kind *kind = NULL;
    const char *first = NULL;

    if (WIFSIGNALED(status)) {
        int by = WTERMSIG(status);
        if (by == SIGPROF || by == SIGALRM || by == SIGXCPU) {
            snprintf(id, VERDICT_ID_MAX, "timeout");
            return;
        }
    }
    for (size_t i = 0; i < sizeof report_kinds / sizeof report_kinds[0]; i++) {
        const char *at = strstr(report, report_kinds[i].words);
        if (at != NULL && (first == NULL || at < first)) {
            first = at;
            kind = &report_kinds[i];
        }
    }
    if (kind != NULL) {
        const char *said = first + strlen(kind->words);
        size_t len = strcspn(said, kind->stop);
        while (len > 0 && said[len - 1] == ' ')
            len--;
        snprintf(id, VERDICT_ID_MAX, "%s%.*s", kind->prefix, (int)(len < 63 ? len : 63), said);
    } else if (WIFSIGNALED(status)) {
        snprintf(id, VERDICT_ID_MAX, "signal %d", WTERMSIG(status));
    } else {
        snprintf(id, VERDICT_ID_MAX, "exit %d", WEXITSTATUS(status));
    }
}
