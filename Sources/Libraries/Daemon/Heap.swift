internal import CLinux

// glibc keeps what was freed: threads may have their own arenas, and each arena stays as large as it was once. So a
// service that has read a few large files would have their memory for ever.

/// Makes the C library keep less of what is freed. Call it at the beginning of `main`, before any thread starts.
func boundHeap() { vitals_bound_heap() }

/// Gives memory that was freed back to the system, of all threads. Other threads may wait for memory
/// meanwhile, so call it at moments of rest.
/// - Returns: whether there was any.
@discardableResult
public func giveBackMemory() -> Bool { vitals_trim_heap() != 0 }
