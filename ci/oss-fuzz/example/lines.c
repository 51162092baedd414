#include <lines.h>

#include <string.h>

#define LINES_LINE_MAX  2048u
#define LINES_VALUE_MAX (1u << 30)

/* The number behind "VA ", or -1. */
static long lines_length(const unsigned char *line, size_t len, size_t *end)
{
    long value = 0;
    size_t i = 3;

    for (; i < len && line[i] >= '0' && line[i] <= '9' && value <= LINES_VALUE_MAX; i++)
        value = value * 10 + (line[i] - '0');
    *end = i;
    if (i == 3 || (i > 4 && line[3] == '0') || (i < len && line[i] != ' '))
        return -1;
    return value <= LINES_VALUE_MAX ? value : -1;
}

enum lines_result lines_next(const unsigned char *data, size_t len, struct lines_unit *out)
{
    struct lines_unit u = {0};
    const unsigned char *lf = len > 0 ? memchr(data, '\n', len) : NULL;

    if (lf == NULL)
        return len >= LINES_LINE_MAX ? LINES_LONG : LINES_MORE;
    u.size = (size_t)(lf - data) + 1;
    if (u.size > LINES_LINE_MAX)
        return LINES_LONG;
    if (u.size < 2 || lf[-1] != '\r')
        return LINES_BAD_END;
    u.line = u.size - 2;
    while (u.word < u.line && data[u.word] != ' ')
        u.word++;
    u.flags = u.word;
    if (u.word == 2 && memcmp(data, "VA", 2) == 0) {
        long value = lines_length(data, u.line, &u.flags);
        if (value < 0)
            return LINES_BAD_LENGTH;
        u.has_value = 1;
        u.value_begin = u.size;
        u.value = (size_t)value;
        u.size += u.value + 2;
        if (u.size > len)
            return LINES_MORE;
        if (memcmp(data + u.size - 2, "\r\n", 2) != 0)
            return LINES_BAD_END;
    }
    while (u.flags < u.line && data[u.flags] == ' ')
        u.flags++;
    *out = u;
    return LINES_UNIT;
}
