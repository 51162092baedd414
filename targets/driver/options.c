/*
 * options.c: what the sanitizers are told in every program of the bed, so that no command needs an
 * environment. The runtimes call these before main; without a sanitizer nobody does.
 */
const char *__asan_default_options(void);
const char *__tsan_default_options(void);

/* The default quarantine of 256 MB buys nothing where a run calls no malloc, and costs half a
 * gigabyte. */
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=8:detect_leaks=1";
}

const char *__tsan_default_options(void)
{
    return "halt_on_error=1:atexit_sleep_ms=0";
}
