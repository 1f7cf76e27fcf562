internal import CLinux
import Glibc

// What a program has in its memory, keys among it, is not to be found in files, nor by other programs of the same user.
//
// A crash would leave a core dump with all of it, or hand it to the program that the machine has for that; and Swift's own runtime
// prints the memory that the registers point to, which systemd then keeps in its journal. Neither is left on. What a crash
// says of itself stays: the line of Swift's "Fatal error", and the signal that ended the process.
//
// The kernel also forgets that a process is not to be dumped when it changes whose rights it has: FileRights.swift says it again.

/// Sees to it that no core dump is written of this process, that no other program of its user may read its memory, and that a crash prints
/// none of it. For the beginning of `main`.
func keepMemoryPrivate() {
    // The calls fail on no kernel that these programs run on.
    _ = vitals_forbid_dumps()
    _ = vitals_forbid_core_files()
    // A sanitizer's own report of a crash is wanted; nobody's secrets are in a program that was built with one.
    let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
    guard !isSanitized else { return }
    for number in [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] {
        // What a shell has told a program in the background to ignore stays ignored.
        let before = signal(number, SIG_DFL)
        if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(number, SIG_IGN) }
    }
}
