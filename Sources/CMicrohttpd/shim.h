// What Swift cannot import of libmicrohttpd: variadic calls, and flags that are an enum to be or-ed.
#pragma once
#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <string.h>

/// Starts a server on 127.0.0.1 with one epoll thread of its own. `port` 0 is any free port; `key` and `certificate`
/// are PEM texts, or NULL for plain HTTP; `timeout` is in seconds. NULL when it cannot be started (errno says why).
static inline struct MHD_Daemon *CMicrohttpd_start(uint16_t port, const char *key, const char *certificate,
                                                   MHD_AccessHandlerCallback handler,
                                                   MHD_RequestCompletedCallback completed, void *context,
                                                   unsigned int connections, unsigned int timeout) {
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_SUPPRESS_DATE_NO_CLOCK;
    struct MHD_OptionItem tls[] = {{MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)key},
                                   {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)certificate},
                                   {MHD_OPTION_END, 0, NULL}};
    struct MHD_OptionItem plain[] = {{MHD_OPTION_END, 0, NULL}};
    if (key) flags |= MHD_USE_TLS;
    return MHD_start_daemon(flags, port, NULL, NULL, handler, context, MHD_OPTION_ARRAY, key ? tls : plain,
                            MHD_OPTION_NOTIFY_COMPLETED, completed, context, MHD_OPTION_SOCK_ADDR, &address,
                            MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_CONNECTION_TIMEOUT, timeout,
                            MHD_OPTION_END);
}

/// The port a server is bound to; 0 when it does not say.
static inline uint16_t CMicrohttpd_port(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}

/// `MHD_CONTENT_READER_END_WITH_ERROR`, a cast in a macro.
static inline ssize_t CMicrohttpd_end_with_error(void) { return MHD_CONTENT_READER_END_WITH_ERROR; }
