#include "ci/bench/reply/bench.h"

#include <dirent.h>

static struct {
    pid_t server;
    uint64_t began_ns, delays_ns;
} company;

/* Nanoseconds that the threads of `process` stood ready and had no processor; 0 where untold. */
static uint64_t delay_of(const char *process)
{
    char path[300];
    uint64_t sum = 0;
    const struct dirent *entry;
    snprintf(path, sizeof path, "/proc/%s/task", process);
    DIR *threads = opendir(path);
    while (threads && (entry = readdir(threads))) {
        unsigned long long delay = 0;
        snprintf(path, sizeof path, "/proc/%s/task/%.20s/schedstat", process, entry->d_name);
        FILE *in = entry->d_name[0] == '.' ? NULL : fopen(path, "r");
        if (in && fscanf(in, "%*u %llu", &delay) == 1)
            sum += delay;
        if (in)
            fclose(in);
    }
    if (threads)
        closedir(threads);
    return sum;
}

static uint64_t delays(void)
{
    char server[24];
    snprintf(server, sizeof server, "%ld", (long)company.server);
    return delay_of("self") + delay_of(server);
}

void company_begin(const struct live_server *server)
{
    company.server = server->pid;
    company.delays_ns = delays();
    company.began_ns = live_now_ns();
}

double company_share(void)
{
    uint64_t time = live_now_ns() - company.began_ns;
    return 100.0 * (double)(delays() - company.delays_ns) / (double)time;
}

void company_say_load(void)
{
    char load[16];
    FILE *in = fopen("/proc/loadavg", "r");
    if (in && fscanf(in, "%15s", load) == 1)
        printf("# load %s\n", load);
    if (in)
        fclose(in);
}
