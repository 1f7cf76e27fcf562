internal import CLinux
import Glibc

// What a program has in its memory, keys included, must not get into files, nor be readable by other programs of the
// same user.
//
// A crash would leave a core dump with all of it, or hand it to the machine's crash handler; and Swift's own runtime
// prints the memory that the registers point to, which systemd then keeps in its journal. Both are switched off. What
// else a crash reports stays: the line of Swift's "Fatal error", and the signal that ended the process.
//
// The kernel also forgets that a process must not be dumped when its rights change to another user's: FileRights.swift
// tells it again.

/// Makes sure that no core dump is written of this process, that no other program of its user may read its memory, and
/// that a crash prints none of it. Call it at the beginning of `main`.
func keepMemoryPrivate() {
    // The calls fail on no kernel that these programs run on.
    _ = vitals_forbid_dumps()
    _ = vitals_forbid_core_files()
    // A sanitizer's own report of a crash is wanted; a program that was built with one holds nobody's secrets.
    let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
    guard !isSanitized else { return }
    for number in [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] {
        // Signals that a shell makes a program in the background ignore stay ignored.
        let before = signal(number, SIG_DFL)
        if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(number, SIG_IGN) }
    }
}
