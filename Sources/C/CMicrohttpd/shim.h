#include <microhttpd.h>

// Swift imports no variadic function, and MHD_start_daemon, MHD_get_daemon_info and MHD_get_connection_info are.

// A daemon without a thread: its owner waits for the descriptor of its epoll set, and calls MHD_run.
static inline struct MHD_Daemon *vitals_mhd_start(
    int listener, unsigned connections, size_t memory, unsigned seconds, MHD_AccessHandlerCallback answer,
    MHD_NotifyConnectionCallback connected, void *owner) {
    return MHD_start_daemon(
        MHD_USE_EPOLL, 0, NULL, NULL, answer, owner, MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT,
        connections, MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory, MHD_OPTION_CONNECTION_TIMEOUT, seconds,
        MHD_OPTION_NOTIFY_CONNECTION, connected, owner, MHD_OPTION_END);
}
// The descriptor of its epoll set; -1 if it has none.
static inline int vitals_mhd_descriptor(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}
// The socket of a connection; -1 if it has none.
static inline int vitals_mhd_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}
