/* Tells ThreadSanitizer what Swift's Mutex does when two threads want it at once.
 *
 * Synchronization.Mutex takes a free lock by an atomic instruction in our own, instrumented code, which ThreadSanitizer sees.
 * A lock that is held is left to `_lockSlow` and `_unlockSlow` in libswiftSynchronization.so, which is not instrumented: it
 * waits in the kernel (a futex), and ThreadSanitizer takes what one thread did before it let go for a race with what the next
 * does. This library comes before that one (LD_PRELOAD), calls it, and says which memory was handed over. It hides nothing:
 * without a lock there is no call here.
 *
 * Tests/Rigs/sanitizers.py compiles it with the clang of the Swift toolchain: Swift passes `self` in a register of its own.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

/* ThreadSanitizer's, where the program has it. */
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT bool try_lock_slow(SELF void *mutex) __asm__(TRY);
SWIFT void unlock_slow(SELF void *mutex) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF void *mutex)
{
    SWIFT void (*real)(uint32_t, SELF void *) = dlsym(RTLD_NEXT, LOCK);
    real(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool try_lock_slow(SELF void *mutex)
{
    SWIFT bool (*real)(SELF void *) = dlsym(RTLD_NEXT, TRY);
    bool taken = real(mutex);
    if (taken && __tsan_acquire) __tsan_acquire(mutex);
    return taken;
}

SWIFT void unlock_slow(SELF void *mutex)
{
    SWIFT void (*real)(SELF void *) = dlsym(RTLD_NEXT, UNLOCK);
    if (__tsan_release) __tsan_release(mutex);
    real(mutex);
}
