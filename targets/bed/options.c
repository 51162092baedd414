/*
 * options.c: the words behind a command's name, by a table of what its options set.
 */
#include "targets/bed/bed.h"

#include <getopt.h>
#include <string.h>

#define OPTIONS_MAX 8

static bool option_take(const struct bed_option *option)
{
    if (option->text != NULL)
        *option->text = optarg;
    if (option->flag != NULL)
        *option->flag = true;
    if (option->number == NULL)
        return true;
    char name[32];
    snprintf(name, sizeof(name), "--%s", option->name);
    return bed_number(name, optarg, option->max, option->number);
}

bool bed_options(int argc, char **argv, const struct bed_option *options, int least, int most)
{
    struct option longs[OPTIONS_MAX + 1] = {{0}};
    int c, out = -1;

    for (int i = 0; options[i].name != NULL; i++) {
        WB_ASSERT(i < OPTIONS_MAX);
        longs[i] = (struct option){options[i].name,
                                   options[i].flag != NULL ? no_argument : required_argument, NULL,
                                   OPTIONS_MAX + i};
        out = strcmp(options[i].name, "out") == 0 ? OPTIONS_MAX + i : out;
    }
    while ((c = getopt_long(argc, argv, out >= 0 ? "o:" : "", longs, NULL)) != -1) {
        c = c == 'o' ? out : c;
        if (c == '?')
            bed_misuse(argv[0]);
        if (c == '?' || !option_take(&options[c - OPTIONS_MAX]))
            return false;
    }
    int count = argc - optind;
    if (count >= least && count <= most)
        return true;
    bed_wrong(argv[0], "takes %s%d argument%s, not %d",
              least == most   ? ""
              : count < least ? "at least "
                              : "at most ",
              count < least ? least : most, (count < least ? least : most) == 1 ? "" : "s", count);
    return false;
}
