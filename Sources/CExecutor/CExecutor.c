#define _GNU_SOURCE
#include "CExecutor.h"

#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// The runtime's hooks (swift/stdlib/public/Concurrency, `GlobalExecutor.cpp`): each is called in place of the runtime's own function.
typedef struct Job Job;
typedef struct {
    void *identity;
    uintptr_t implementation;
} ExecutorRef;
#define SWIFT __attribute__((swiftcall))
extern SWIFT void (*swift_task_enqueueGlobal_hook)(Job *, void *original);
extern SWIFT void (*swift_task_enqueueMainExecutor_hook)(Job *, void *original);
extern SWIFT void swift_job_run(Job *, ExecutorRef);

static void check(int code, const char *what) {
    if (code == 0) return;
    fprintf(stderr, "fault: %s failed (%d)\n", what, code);
    abort();
}

// MARK: The queue: first in, first out

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static Job **ring;
static size_t capacity, first, count;
static int idle;
/// Whether this thread runs tasks: it comes back for the next one by itself.
static _Thread_local int works;

static void enqueue(Job *job) {
    check(pthread_mutex_lock(&lock), "pthread_mutex_lock");
    if (count == capacity) {
        size_t larger = capacity ? capacity * 2 : 256;
        Job **grown = malloc(larger * sizeof *grown);
        if (!grown) abort();
        for (size_t i = 0; i < count; i++) grown[i] = ring[(first + i) % capacity];
        free(ring);
        ring = grown;
        capacity = larger;
        first = 0;
    }
    ring[(first + count++) % capacity] = job;
    // What a task leaves behind is mostly its own next step, and it is about to wait for it: waking another thread for that costs more
    // than the step. Two waiting are work for two.
    int wakes = idle > 0 && !(works && count == 1);
    check(pthread_mutex_unlock(&lock), "pthread_mutex_unlock");
    if (wakes) check(pthread_cond_signal(&arrived), "pthread_cond_signal");
}

_Noreturn void CExecutor_run(void) {
    works = 1;
    for (;;) {
        check(pthread_mutex_lock(&lock), "pthread_mutex_lock");
        idle++;
        while (count == 0) check(pthread_cond_wait(&arrived, &lock), "pthread_cond_wait");
        idle--;
        Job *job = ring[first];
        first = (first + 1) % capacity;
        count--;
        check(pthread_mutex_unlock(&lock), "pthread_mutex_unlock");
        swift_job_run(job, (ExecutorRef){0, 0});
    }
}

// MARK: The hooks

static SWIFT void enqueue_global(Job *job, void *original) { enqueue(job); }

static void *work(void *unused) { CExecutor_run(); }

static void start(void *(*body)(void *), const char *name) {
    pthread_t thread;
    check(pthread_create(&thread, NULL, body, NULL), "pthread_create");
    check(pthread_setname_np(thread, name), "pthread_setname_np");
    check(pthread_detach(thread), "pthread_detach");
}

void CExecutor_install(void) {
    // One heap for all threads: glibc's further ones grow page by page, a system call each, and keep what the others could use.
    // It fails for an unknown parameter alone.
    mallopt(M_ARENA_MAX, 1);
    swift_task_enqueueGlobal_hook = enqueue_global;
    swift_task_enqueueMainExecutor_hook = enqueue_global;
    // The calling thread is to be one as well.
    for (long cores = sysconf(_SC_NPROCESSORS_ONLN), n = 1; n < (cores < 4 ? cores : 4); n++) start(work, "tasks");
}
