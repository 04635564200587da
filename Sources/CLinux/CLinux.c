#define _GNU_SOURCE
#include "CLinux.h"
#include <signal.h>
#include <string.h>

int CLinux_accept4(int fd) { return accept4(fd, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK); }

int CLinux_peer_credentials(int fd, pid_t *pid, uid_t *uid, gid_t *gid) {
    struct ucred credentials;
    socklen_t size = sizeof credentials;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) < 0) return -1;
    *pid = credentials.pid;
    *uid = credentials.uid;
    *gid = credentials.gid;
    return 0;
}

static volatile int signal_pipe = -1;

static void tell(int number) {
    int before = errno;
    unsigned char byte = (unsigned char)number;
    // A full pipe holds more signals than anybody sends.
    ssize_t written = write(signal_pipe, &byte, 1);
    (void)written;
    errno = before;
}

int CLinux_catch_signals(const int *numbers, int count, int fd) {
    signal_pipe = fd;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = tell;
    action.sa_flags = SA_RESTART;
    sigfillset(&action.sa_mask);
    // Whoever started us may have left them blocked, and every thread inherits that.
    sigset_t taken;
    sigemptyset(&taken);
    for (int i = 0; i < count; i++) {
        if (sigaction(numbers[i], &action, NULL) < 0) return -1;
        sigaddset(&taken, numbers[i]);
    }
    errno = pthread_sigmask(SIG_UNBLOCK, &taken, NULL);
    return errno == 0 ? 0 : -1;
}

// A standard stream that the parent closed is replaced by /dev/null. Else the next file becomes descriptor 2, and the log is written
// into it. Before main, where nothing has been opened yet.
__attribute__((constructor)) static void keep_standard_streams(void) {
  for (int stream = 0; stream <= 2; stream++) {
    // The kernel gives the lowest free number, so this one. Without /dev/null there is nothing better to do.
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", stream == 0 ? O_RDONLY : O_WRONLY) < 0) return;
  }
}
