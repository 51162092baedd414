/*
 * vet_side.c: two shared objects, and inputs run through them. They are called in child processes
 * only, one for each side and batch: a core that dies ends its child, which the next one follows
 * from the input behind.
 */
#include "targets/bed/vet.h"
#include "targets/driver/verdict.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child says with this that a failed invariant was passed over: what it holds may be broken. */
#define CHILD_SPOILT   3
#define RUN_CPU_S      5
#define SAID_BYTES_MAX ((rlim_t)64 << 20)
#define STEPS_MAX      ((size_t)4 << 20)

typedef const struct vet_side *(*vet_entry_fn)(void);

const struct vet_side *vet_side_load(const char *path)
{
    char *real = realpath(path, NULL); /* dlopen would search for a bare name */
    const struct vet_side *side = NULL;
    vet_entry_fn entry = NULL;

    if (real == NULL) {
        bed_cannot("%s: %s", path, strerror(errno));
        return NULL;
    }
    void *object = dlopen(real, RTLD_NOW | RTLD_LOCAL);
    free(real);
    if (object == NULL) {
        bed_cannot("%s: no shared object that loads: %s", path, dlerror());
        return NULL;
    }
    void *symbol = dlsym(object, "vet_side");
    memcpy(&entry, &symbol, sizeof(entry));
    if (entry != NULL)
        side = entry();
    if (side == NULL || side->interface != VET_INTERFACE ||
        side->told_size != sizeof(struct vet_told)) {
        bed_cannot("%s: not made for this bed: see targets/vet/side.h", path);
        return NULL;
    }
    if (side->version != SIM_VERSION || side->header != SIM_HEADER || side->record != SIM_RECORD) {
        bed_cannot("%s: has another corpus format: version %u of %u and %u bytes; this bed has "
                   "version %d of %d and %d",
                   path, side->version, side->header, side->record, SIM_VERSION, SIM_HEADER,
                   SIM_RECORD);
        return NULL;
    }
    return side;
}

size_t vet_side_find(const struct vet_side *side, const char *name)
{
    size_t i = 0;
    while (i < side->count() && strcmp(side->name(i), name) != 0)
        i++;
    return i;
}

/* The opcode that means something else on that side, or -1. More opcodes are no difference. */
static int other_op(const struct vet_side *side, size_t at, const struct fuzz_target *target)
{
    for (int opcode = 0; opcode < SIM_OPCODES; opcode++) {
        const char *theirs = side->op(at, (uint8_t)opcode);
        const struct sim_op_desc *ours =
            target->ops != NULL ? sim_ops_find(target->ops, (uint8_t)opcode) : NULL;
        if (theirs != NULL && (ours == NULL || strcmp(theirs, ours->name) != 0))
            return opcode;
    }
    return -1;
}

static bool in_list(const char *list, const char *name)
{
    size_t len = strlen(name);
    for (const char *at = list; at != NULL && (at = strstr(at, name)) != NULL; at += len)
        if ((at == list || at[-1] == ',') && (at[len] == ',' || at[len] == '\0'))
            return true;
    return false;
}

static void add_common(struct vet *v, const struct fuzz_target *target)
{
    struct vet_target t = {.target = target, .is_loose = in_list(v->loose, target->name)};

    for (int s = 0; s < VET_SIDES; s++) {
        const struct vet_side *side = v->side[s];
        const char *word = s == VET_OLD ? "old" : "new";
        t.at[s] = vet_side_find(side, target->name);
        if (t.at[s] == side->count()) {
            bed_buf_print(&v->notes, "%s: not vetted, the %s side has no such target\n",
                          target->name, word);
            return;
        }
        int opcode = other_op(side, t.at[s], target);
        if (side->kind(t.at[s]) != (uint32_t)target->kind || opcode >= 0) {
            bed_buf_print(&v->notes,
                          "%s: not vetted, its inputs mean something else on the %s side\n",
                          target->name, word);
            return;
        }
    }
    v->targets[v->target_count++] = t;
}

bool vet_load(struct vet *v)
{
    for (int s = 0; s < VET_SIDES; s++) {
        v->side[s] = vet_side_load(v->paths[s]);
        if (v->side[s] == NULL)
            return false;
        void *told = mmap(NULL, VET_BATCH * sizeof(struct vet_told), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        bed_must(told != MAP_FAILED ? WB_OK : WB_E_NOMEM);
        v->told[s] = told;
    }
    v->targets = bed_take(fuzz_target_count() * sizeof(*v->targets));
    for (size_t i = 0; i < fuzz_target_count(); i++) {
        const struct fuzz_target *target = fuzz_target_at(i);
        bool is_wanted = v->only == NULL || in_list(v->only, target->name);
        if (is_wanted && strcmp(target->name, "canary") != 0)
            add_common(v, target);
    }
    if (v->loose != NULL)
        bed_buf_print(&v->notes,
                      "not the same bed on both sides, so that verdicts, outcomes and stories are "
                      "compared, traces and costs are not: %s\n",
                      v->loose);
    if (v->target_count > 0)
        return true;
    bed_cannot("%s and %s have no target in common", v->paths[VET_OLD], v->paths[VET_NEW]);
    return false;
}

/* ---- running ---- */

/* The children of one side. */
struct lane {
    struct vet *v;
    int side;
    const struct vet_input *inputs;
    size_t count, next; /* next: where the current child begins */
    pid_t child;
    int said, steps; /* unnamed files; -1 while nobody wants lines */
};

static void child_runs(const struct lane *lane)
{
    static const int fatal[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP, SIGPROF};
    const struct itimerval cpu = {.it_value = {.tv_sec = RUN_CPU_S}};
    const struct rlimit none = {0, 0}, said = {SAID_BYTES_MAX, SAID_BYTES_MAX};
    const struct vet *v = lane->v;
    bool is_spoilt = false;
    FILE *steps = lane->steps >= 0 ? fdopen(lane->steps, "w") : NULL;

    if (steps != NULL)
        setvbuf(steps, NULL, _IOLBF, 1 << 16);
    dup2(lane->said, STDOUT_FILENO);
    dup2(lane->said, STDERR_FILENO);
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_FSIZE, &said);
    for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
        signal(fatal[i], SIG_DFL);
    v->side[lane->side]->cover(v->cover[lane->side]);
    for (size_t i = lane->next; !is_spoilt && i < lane->count; i++) {
        const struct vet_input *input = &lane->inputs[i];
        setitimer(ITIMER_PROF, &cpu, NULL);
        struct vet_told *told = &v->told[lane->side][i];
        if (v->world != NULL)
            v->world(v, lane->side, i, input, steps, told);
        else
            v->side[lane->side]->run(v->targets[input->target].at[lane->side], input->bytes,
                                     input->len, steps, told);
        is_spoilt = v->told[lane->side][i].failures > 0;
    }
    if (steps != NULL)
        fflush(steps);
    _exit(is_spoilt ? CHILD_SPOILT : 0);
}

static void lane_start(struct lane *lane)
{
    fflush(NULL);
    bed_must(ftruncate(lane->said, 0) == 0 ? WB_OK : WB_E_NOMEM);
    lseek(lane->said, 0, SEEK_SET);
    for (int i = 0; (lane->child = fork()) < 0 && i < 50; i++)
        usleep(20000);
    if (lane->child < 0)
        exit(bed_cannot("no child process: %s", strerror(errno)));
    if (lane->child == 0)
        child_runs(lane);
}

static void read_back(int file, size_t max, struct wb_buf *out)
{
    uint8_t part[4096];
    size_t len = 0;
    ssize_t n;

    while (len < max && (n = pread(file, part, sizeof(part), (off_t)len)) > 0) {
        bed_must(wb_buf_add(out, wb_view_of(part, (size_t)n)));
        len += (size_t)n;
    }
}

/* Names what ended the run at which the child died. */
static void lane_bury(struct lane *lane, int status)
{
    struct vet_told *told = lane->v->told[lane->side];
    struct wb_buf said = bed_buf();
    char id[VERDICT_ID_MAX];

    if (lane->next < lane->count) {
        read_back(lane->said, 65536, &said);
        bed_must(wb_buf_add_u8(&said, 0));
        verdict_id((const char *)said.data, status, id);
        if (strncmp(id, "WB_ASSERT ", 10) == 0) /* lines move, and an id is for good */
            id[strcspn(id, ":")] = '\0';
        if (told[lane->next].failed[0] == '\0')
            snprintf(told[lane->next].failed, VET_WORD_MAX, "%s", id);
        lane->next++;
    }
    wb_buf_fini(&said);
}

static void lane_finish(struct lane *lane)
{
    const struct vet_told *told = lane->v->told[lane->side];

    for (;;) {
        int status = 0;
        while (waitpid(lane->child, &status, 0) < 0)
            bed_must(errno == EINTR ? WB_OK : WB_E_NOMEM);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
            return;
        while (lane->next < lane->count && told[lane->next].state == VET_DONE)
            lane->next++;
        if (!WIFEXITED(status) || WEXITSTATUS(status) != CHILD_SPOILT)
            lane_bury(lane, status);
        if (lane->next >= lane->count)
            return;
        lane_start(lane);
    }
}

void vet_run(struct vet *v, const struct vet_input *inputs, size_t count,
             struct wb_buf steps[VET_SIDES])
{
    struct lane lanes[VET_SIDES];

    for (int s = 0; s < VET_SIDES; s++) {
        memset(v->told[s], 0, count * sizeof(struct vet_told));
        lanes[s] = (struct lane){v, s, inputs, count, 0, 0, memfd_create("said", 0), -1};
        if (steps != NULL)
            lanes[s].steps = memfd_create("steps", 0);
        bool has_files = lanes[s].said >= 0 && (steps == NULL || lanes[s].steps >= 0);
        bed_must(has_files ? WB_OK : WB_E_NOMEM);
        lane_start(&lanes[s]);
    }
    for (int s = 0; s < VET_SIDES; s++) {
        lane_finish(&lanes[s]);
        if (steps != NULL) {
            read_back(lanes[s].steps, STEPS_MAX, &steps[s]);
            if (v->told[s][0].state != VET_DONE) {
                bed_buf_print(&steps[s], "ended by %s\n", v->told[s][0].failed);
                read_back(lanes[s].said, 4096, &steps[s]);
            }
            close(lanes[s].steps);
        }
        close(lanes[s].said);
    }
}
