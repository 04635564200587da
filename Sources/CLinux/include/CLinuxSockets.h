// Unix stream sockets. `sockaddr_un`'s array becomes a tuple of 108 members in Swift, so addresses stay on this side.
// Each returns what the call returns: -1 and errno.
#pragma once
#include <stddef.h>
#include <string.h>
#include <sys/un.h>

/// The longest path `sockaddr_un` carries, its ending zero not counted.
static inline size_t CLinux_unix_path_max(void) { return sizeof(((struct sockaddr_un *)0)->sun_path) - 1; }

static inline int CLinux_unix_socket(int nonblocking) {
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | (nonblocking ? SOCK_NONBLOCK : 0), 0);
}

static inline int CLinux_unix_address(struct sockaddr_un *address, const char *path) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (strlen(path) > CLinux_unix_path_max()) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address->sun_path, path);
    return 0;
}

static inline int CLinux_unix_bind(int fd, const char *path) {
    struct sockaddr_un address;
    if (CLinux_unix_address(&address, path) < 0) return -1;
    return bind(fd, (const struct sockaddr *)&address, sizeof address);
}

static inline int CLinux_unix_connect(int fd, const char *path) {
    struct sockaddr_un address;
    if (CLinux_unix_address(&address, path) < 0) return -1;
    return connect(fd, (const struct sockaddr *)&address, sizeof address);
}

/// Writes the path that `fd` is bound to, at most `capacity` bytes, and returns how many; 0 when it has none.
static inline size_t CLinux_unix_path(int fd, char *path, size_t capacity) {
    struct sockaddr_un address;
    socklen_t size = sizeof address;
    if (getsockname(fd, (struct sockaddr *)&address, &size) < 0) return 0;
    if (size <= offsetof(struct sockaddr_un, sun_path)) return 0;
    // The kernel counts the ending zero, which it need not write into a full array.
    size_t count = strnlen(address.sun_path, size - offsetof(struct sockaddr_un, sun_path));
    if (count > capacity) return 0;
    memcpy(path, address.sun_path, count);
    return count;
}

/// Whether `fd` is a listening Unix stream socket: 1 or 0; -1 when it is no socket at all.
static inline int CLinux_is_unix_listener(int fd) {
    int domain = 0, type = 0, accepting = 0;
    socklen_t size = sizeof(int);
    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) < 0) return -1;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) < 0) return -1;
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &accepting, &size) < 0) return -1;
    return domain == AF_UNIX && type == SOCK_STREAM && accepting;
}

/// The process on the other end, as it was when it connected (unix(7), SO_PEERCRED).
int CLinux_peer_credentials(int fd, pid_t *pid, uid_t *uid, gid_t *gid);

/// Without SIGPIPE: a peer that went away is EPIPE.
static inline ssize_t CLinux_send(int fd, const void *bytes, size_t count) {
    return send(fd, bytes, count, MSG_NOSIGNAL);
}

/// Sets what a descriptor passed by socket activation may lack: O_NONBLOCK and FD_CLOEXEC (`fcntl` is variadic).
static inline int CLinux_make_nonblocking(int fd) {
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) return -1;
    return fcntl(fd, F_SETFD, FD_CLOEXEC);
}

static inline int CLinux_open_null(void) { return open("/dev/null", O_RDONLY | O_CLOEXEC); }
