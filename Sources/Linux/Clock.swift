import Beacons
internal import CLinux
import Glibc
import Synchronization

/// The kernel's clocks: the monotonic clock, which also counts suspension, and the wall clock.
package enum Clock {
    /// The current time on a clock that never steps and that continues while the machine sleeps (CLOCK_BOOTTIME).
    package static var now: Instant {
        Instant(nanoseconds: nanoseconds(of: CLOCK_BOOTTIME))
    }

    /// For how long the machine has slept since its start.
    package static var asleep: Interval {
        Interval(nanoseconds: nanoseconds(of: CLOCK_BOOTTIME) - nanoseconds(of: CLOCK_MONOTONIC))
    }

    /// The current wall clock time, which is displayed and published; decisions use `now`.
    package static var wall: WallTime {
        WallTime(milliseconds: nanoseconds(of: CLOCK_REALTIME) / 1_000_000)
    }

    /// Whether the kernel considers the wall clock synchronised (adjtimex without STA_UNSYNC). The value is at most a
    /// few seconds old.
    ///
    /// If the unit protects the clock, the kernel refuses the call (EPERM). The value then is whether
    /// systemd-timesyncd has synchronised the clock since the machine started.
    package static var isSynchronised: Bool { isSynchronised(at: now, wall) }

    private static let synchronisation = Mutex(Synchronisation())

    private static func isSynchronised(at now: Instant, _ wall: WallTime) -> Bool {
        synchronisation.withLock {
            $0.isSynchronised(
                at: now, wall,
                askKernel: {
                    var state = timex()
                    if adjtimex(&state) >= 0 { return state.status & STA_UNSYNC == 0 }
                    return nil
                },
                askDaemon: { access("/run/systemd/timesync/synchronized", F_OK) == 0 })
        }
    }

    /// The id of the machine's current start, or an empty text if /proc is missing. Values of `now` of two processes
    /// are comparable if this id is equal.
    package static var machineBoot: String {
        let text = try? readFile(at: "/proc/sys/kernel/random/boot_id", limit: 64)
        return text.map { String(decoding: $0.prefix { $0 > 0x20 }, as: UTF8.self) } ?? ""
    }

    /// The offset of local time from UTC at a time, in the system's time zone, positive east of UTC.
    @Sendable
    package static func utcOffset(at wall: WallTime) -> Interval {
        var time = time_t(wall.milliseconds / 1000)
        var parts = tm()
        // Another time zone of the machine counts at once; localtime_r alone goes on with the first.
        tzset()
        localtime_r(&time, &parts)
        return .seconds(Double(parts.tm_gmtoff))
    }

    package static var processorTime: Interval {
        Interval(nanoseconds: nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID))
    }

    /// The current time on both clocks.
    package static var moment: Moment {
        let (now, wall) = (now, wall)
        return Moment(instant: now, wall: wall, isSynchronised: isSynchronised(at: now, wall))
    }

    private static func nanoseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
