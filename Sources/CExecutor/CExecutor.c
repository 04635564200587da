#define _GNU_SOURCE
#include "CExecutor.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

// The runtime's hooks (swift/stdlib/public/Concurrency, `GlobalExecutor.cpp`): each is called in place of the runtime's own function.
typedef struct Job Job;
typedef struct {
    void *identity;
    uintptr_t implementation;
} ExecutorRef;
#define SWIFT __attribute__((swiftcall))
extern SWIFT void (*swift_task_enqueueGlobal_hook)(Job *, void *original);
extern SWIFT void (*swift_task_enqueueGlobalWithDelay_hook)(unsigned long long nanoseconds, Job *, void *original);
extern SWIFT void (*swift_task_enqueueGlobalWithDeadline_hook)(
    long long seconds, long long nanoseconds, long long tolerance_seconds, long long tolerance_nanoseconds, int clock, Job *,
    void *original);
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
    int wakes = idle > 0;
    check(pthread_mutex_unlock(&lock), "pthread_mutex_unlock");
    if (wakes) check(pthread_cond_signal(&arrived), "pthread_cond_signal");
}

_Noreturn void CExecutor_run(void) {
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

// MARK: Timers: a heap by deadline on CLOCK_BOOTTIME, and one thread that sleeps until the first

typedef struct {
    int64_t deadline;
    Job *job;
} Timer;
static pthread_mutex_t timer_lock = PTHREAD_MUTEX_INITIALIZER;
static Timer *heap;
static size_t timer_capacity, timers;
static int alarm_fd = -1;

static int64_t nanoseconds_on(clockid_t clock) {
    struct timespec now;
    check(clock_gettime(clock, &now), "clock_gettime");
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void swap(size_t a, size_t b) {
    Timer kept = heap[a];
    heap[a] = heap[b];
    heap[b] = kept;
}

static void set_alarm(void) {
    // A deadline that has passed still has to ring; zero would mean never.
    int64_t moment = timers == 0 ? 0 : heap[0].deadline > 0 ? heap[0].deadline : 1;
    struct itimerspec spec = {{0, 0}, {moment / 1000000000, moment % 1000000000}};
    check(timerfd_settime(alarm_fd, TFD_TIMER_ABSTIME, &spec, NULL), "timerfd_settime");
}

static void schedule(int64_t deadline, Job *job) {
    check(pthread_mutex_lock(&timer_lock), "pthread_mutex_lock");
    if (timers == timer_capacity) {
        timer_capacity = timer_capacity ? timer_capacity * 2 : 256;
        heap = realloc(heap, timer_capacity * sizeof *heap);
        if (!heap) abort();
    }
    size_t at = timers++;
    heap[at] = (Timer){deadline, job};
    for (; at > 0 && heap[(at - 1) / 2].deadline > deadline; at = (at - 1) / 2) swap(at, (at - 1) / 2);
    if (at == 0) set_alarm();
    check(pthread_mutex_unlock(&timer_lock), "pthread_mutex_unlock");
}

static Job *take_first(void) {
    Job *job = heap[0].job;
    heap[0] = heap[--timers];
    for (size_t at = 0;;) {
        size_t least = at, left = 2 * at + 1, right = left + 1;
        if (left < timers && heap[left].deadline < heap[least].deadline) least = left;
        if (right < timers && heap[right].deadline < heap[least].deadline) least = right;
        if (least == at) return job;
        swap(at, least);
        at = least;
    }
}

static void *ring_alarms(void *unused) {
    for (;;) {
        uint64_t rings;
        // Interrupted by a signal, it looks at the clock again.
        ssize_t got = read(alarm_fd, &rings, sizeof rings);
        (void)got;
        check(pthread_mutex_lock(&timer_lock), "pthread_mutex_lock");
        int64_t now = nanoseconds_on(CLOCK_BOOTTIME);
        while (timers > 0 && heap[0].deadline <= now) enqueue(take_first());
        set_alarm();
        check(pthread_mutex_unlock(&timer_lock), "pthread_mutex_unlock");
    }
    return unused;
}

// MARK: The hooks

static SWIFT void enqueue_global(Job *job, void *original) { enqueue(job); }

static SWIFT void enqueue_delayed(unsigned long long nanoseconds, Job *job, void *original) {
    schedule(nanoseconds_on(CLOCK_BOOTTIME) + (int64_t)nanoseconds, job);
}

static SWIFT void enqueue_until(
    long long seconds, long long nanoseconds, long long tolerance_seconds, long long tolerance_nanoseconds, int clock, Job *job,
    void *original
) {
    // swift_clock_id: 1 is continuous, CLOCK_BOOTTIME; 2 is suspending, CLOCK_MONOTONIC.
    int64_t offset = clock == 1 ? 0 : nanoseconds_on(CLOCK_BOOTTIME) - nanoseconds_on(CLOCK_MONOTONIC);
    schedule((int64_t)seconds * 1000000000 + nanoseconds + offset, job);
}

static void *work(void *unused) { CExecutor_run(); }

static void start(void *(*body)(void *), const char *name) {
    pthread_t thread;
    check(pthread_create(&thread, NULL, body, NULL), "pthread_create");
    check(pthread_setname_np(thread, name), "pthread_setname_np");
    check(pthread_detach(thread), "pthread_detach");
}

void CExecutor_install(void) {
    alarm_fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC);
    if (alarm_fd < 0) check(-1, "timerfd_create");
    swift_task_enqueueGlobal_hook = enqueue_global;
    swift_task_enqueueGlobalWithDelay_hook = enqueue_delayed;
    swift_task_enqueueGlobalWithDeadline_hook = enqueue_until;
    swift_task_enqueueMainExecutor_hook = enqueue_global;
    start(ring_alarms, "timers");
    // The calling thread is to be one as well.
    for (long cores = sysconf(_SC_NPROCESSORS_ONLN), n = 1; n < (cores < 4 ? cores : 4); n++) start(work, "tasks");
}
