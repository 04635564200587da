// What the Glibc module leaves out: epoll, eventfd, accept4, SO_PEERCRED, ioctl. Each is `static inline`, prefixed with
// the module's name; variadic or macro-built calls get a function of their own, since Swift cannot import them.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

static inline int CLinux_accept4(int fd) { return accept4(fd, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK); }
/// Forbids core dumps and `/proc/self/mem` reads by other processes of the same user.
static inline int CLinux_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
