#include <mpd/async.h>
#include <mpd/parser.h>

// Swift imports no variadic function. The arguments end at the first null pointer.
static inline bool vitals_mpd_send(
    struct mpd_async *async, const char *command, const char *first, const char *second, const char *third,
    const char *fourth, const char *fifth) {
    return mpd_async_send_command(async, command, first, second, third, fourth, fifth, (const char *)0);
}
