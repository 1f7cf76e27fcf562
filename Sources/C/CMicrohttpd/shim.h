#include <dlfcn.h>
#include <microhttpd.h>

// libmicrohttpd is not linked but loaded, where metrics are served: with GnuTLS, which it brings, it takes time and
// memory at the start of each program. These are the functions of it that are used.
struct vitals_mhd {
    __typeof__(&MHD_start_daemon) start_daemon;
    __typeof__(&MHD_stop_daemon) stop_daemon;
    __typeof__(&MHD_get_daemon_info) get_daemon_info;
    __typeof__(&MHD_get_connection_info) get_connection_info;
    __typeof__(&MHD_run) run;
    __typeof__(&MHD_get_timeout) get_timeout;
    __typeof__(&MHD_lookup_connection_value) lookup_connection_value;
    __typeof__(&MHD_create_response_from_buffer) create_response_from_buffer;
    __typeof__(&MHD_add_response_header) add_response_header;
    __typeof__(&MHD_queue_response) queue_response;
    __typeof__(&MHD_destroy_response) destroy_response;
};

// Loads the library, which then stays.
// Returns NULL, or what is missing, in the loader's words. They are valid until the thread's next call of the loader.
static inline const char *vitals_mhd_load(const char *name, struct vitals_mhd *mhd) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) return dlerror();
#define VITALS_FIND(function) \
    if (!(mhd->function = (__typeof__(mhd->function))dlsym(library, "MHD_" #function))) return dlerror();
    VITALS_FIND(start_daemon)
    VITALS_FIND(stop_daemon)
    VITALS_FIND(get_daemon_info)
    VITALS_FIND(get_connection_info)
    VITALS_FIND(run)
    VITALS_FIND(get_timeout)
    VITALS_FIND(lookup_connection_value)
    VITALS_FIND(create_response_from_buffer)
    VITALS_FIND(add_response_header)
    VITALS_FIND(queue_response)
    VITALS_FIND(destroy_response)
#undef VITALS_FIND
    return NULL;
}

// Swift imports no variadic function, and MHD_start_daemon, MHD_get_daemon_info and MHD_get_connection_info are.

// A daemon without a thread: its owner waits for the descriptor of its epoll set, and calls MHD_run.
static inline struct MHD_Daemon *vitals_mhd_start(
    struct vitals_mhd mhd, int listener, unsigned connections, size_t memory, unsigned seconds,
    MHD_AccessHandlerCallback answer, MHD_NotifyConnectionCallback connected, void *owner) {
    return mhd.start_daemon(
        MHD_USE_EPOLL, 0, NULL, NULL, answer, owner, MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT,
        connections, MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory, MHD_OPTION_CONNECTION_TIMEOUT, seconds,
        MHD_OPTION_NOTIFY_CONNECTION, connected, owner, MHD_OPTION_END);
}
// The descriptor of its epoll set; -1 if it has none.
static inline int vitals_mhd_descriptor(struct vitals_mhd mhd, struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = mhd.get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}
// The socket of a connection; -1 if it has none.
static inline int vitals_mhd_socket(struct vitals_mhd mhd, struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = mhd.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}
