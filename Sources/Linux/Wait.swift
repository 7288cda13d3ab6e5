import Beacons
import Glibc

/// Sleeps until one of `descriptors` is ready or `deadline` has passed. Returns for each descriptor whether it is ready
/// (readable, hung up, or in error).
///
/// - Parameter deadline: `nil` waits for a descriptor without a limit. A deadline in the past returns at once.
package func wait(for descriptors: [Int32], until deadline: Instant?) -> [Bool] {
    var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let ready = poll(&entries, nfds_t(entries.count), deadline.map(milliseconds(until:)) ?? -1)
    return entries.map { ready > 0 && $0.revents != 0 }
}

// The result is rounded up. The deadline has so passed when the sleep ends, and no caller spins through the last
// millisecond.
private func milliseconds(until deadline: Instant) -> Int32 {
    let rest = max(0, (deadline - Clock.now).nanoseconds)
    return Int32(min((rest + 999_999) / 1_000_000, Int64(Int32.max)))
}
