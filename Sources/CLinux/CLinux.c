#define _GNU_SOURCE
#include "CLinux.h"

int CLinux_accept4(int fd) { return accept4(fd, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK); }
