#include <dlfcn.h>
#include <mpd/async.h>
#include <mpd/parser.h>

// libmpdclient is not linked but loaded, where there is a Music Player Daemon: few homes have one. These are the functions
// of it that are used.
struct vitals_mpd {
    __typeof__(&mpd_async_new) async_new;
    __typeof__(&mpd_async_free) async_free;
    __typeof__(&mpd_async_events) async_events;
    __typeof__(&mpd_async_io) async_io;
    __typeof__(&mpd_async_get_error) async_get_error;
    __typeof__(&mpd_async_get_error_message) async_get_error_message;
    __typeof__(&mpd_async_send_command) async_send_command;
    __typeof__(&mpd_async_recv_line) async_recv_line;
    __typeof__(&mpd_async_recv_raw) async_recv_raw;
    __typeof__(&mpd_parser_new) parser_new;
    __typeof__(&mpd_parser_free) parser_free;
    __typeof__(&mpd_parser_feed) parser_feed;
    __typeof__(&mpd_parser_get_name) parser_get_name;
    __typeof__(&mpd_parser_get_value) parser_get_value;
    __typeof__(&mpd_parser_get_server_error) parser_get_server_error;
};

// Loads the library, which then stays.
// Returns NULL, or what is missing, in the loader's words. They are valid until the thread's next call of the loader.
static inline const char *vitals_mpd_load(const char *name, struct vitals_mpd *mpd) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) return dlerror();
#define VITALS_FIND(function) \
    if (!(mpd->function = (__typeof__(mpd->function))dlsym(library, "mpd_" #function))) return dlerror();
    VITALS_FIND(async_new)
    VITALS_FIND(async_free)
    VITALS_FIND(async_events)
    VITALS_FIND(async_io)
    VITALS_FIND(async_get_error)
    VITALS_FIND(async_get_error_message)
    VITALS_FIND(async_send_command)
    VITALS_FIND(async_recv_line)
    VITALS_FIND(async_recv_raw)
    VITALS_FIND(parser_new)
    VITALS_FIND(parser_free)
    VITALS_FIND(parser_feed)
    VITALS_FIND(parser_get_name)
    VITALS_FIND(parser_get_value)
    VITALS_FIND(parser_get_server_error)
#undef VITALS_FIND
    return NULL;
}

// Swift imports no variadic function. The arguments end at the first null pointer.
static inline bool vitals_mpd_send(
    struct vitals_mpd mpd, struct mpd_async *async, const char *command, const char *first, const char *second,
    const char *third, const char *fourth, const char *fifth) {
    return mpd.async_send_command(async, command, first, second, third, fourth, fifth, (const char *)0);
}
