// Runs the tasks of Swift concurrency on threads of our own in place of libdispatch, whose monitor of its thread pool wakes the process
// once a second for as long as it lives, with no switch (README, "Figures").
#pragma once

/// Takes over every task that is not bound to an executor. Call it first of all, before any task exists.
void CExecutor_install(void);
/// Runs tasks on the calling thread, for ever.
_Noreturn void CExecutor_run(void);
