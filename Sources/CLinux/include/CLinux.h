// What the Glibc module leaves out: epoll, eventfd, accept4, SO_PEERCRED, ioctl. Each is `static inline`, prefixed with
// the module's name; variadic or macro-built calls get a function of their own, since Swift cannot import them.
#pragma once
// _GNU_SOURCE stays out of this header: it changes the fields of `fd_set`, and Swift then refuses every other module
// that includes <sys/select.h>. What needs it is in CLinux.c.
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

int CLinux_accept4(int fd);
/// Forbids core dumps and `/proc/self/mem` reads by other processes of the same user.
static inline int CLinux_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
/// Whether ``CLinux_forbid_dumps`` has not been called: 1 or 0.
static inline int CLinux_dumps_allowed(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }
/// A pipe whose ends no other program inherits.
static inline int CLinux_pipe(int ends[2]) { return (int)syscall(SYS_pipe2, ends, O_CLOEXEC); }
/// A timer on the clock that counts suspend; -1 and errno.
static inline int CLinux_boottime_timer(void) { return timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC); }
/// Lets it ring at a moment of that clock, in nanoseconds; 0: never.
static inline int CLinux_set_timer(int fd, int64_t moment) {
    struct itimerspec spec = {{0, 0}, {moment / 1000000000, moment % 1000000000}};
    return timerfd_settime(fd, TFD_TIMER_ABSTIME, &spec, 0);
}
/// From here on these signals are written as bytes to `fd`, on whichever thread they arrive; the calling thread lets them in, also where
/// whoever started us left them blocked. It must not end. Returns -1 and errno.
int CLinux_catch_signals(const int *numbers, int count, int fd);

#include "CLinuxSockets.h"
