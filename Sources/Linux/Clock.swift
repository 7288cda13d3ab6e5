import Beacons
internal import CLinux
import Glibc
import Synchronization

/// The kernel's clocks, read in one place: a monotonic one that counts suspension, and the wall's.
public enum Clock {
    /// Now, on a clock that never steps and that goes on while the machine sleeps (CLOCK_BOOTTIME).
    public static var now: Instant {
        Instant(nanoseconds: nanoseconds(of: CLOCK_BOOTTIME))
    }

    /// Now, as the wall clock has it: to be said, never to be reckoned with.
    public static var wall: WallTime {
        WallTime(milliseconds: nanoseconds(of: CLOCK_REALTIME) / 1_000_000)
    }

    /// Whether the kernel takes its wall clock for synchronised (adjtimex without STA_UNSYNC), as of a few seconds ago at most.
    ///
    /// A service whose unit protects the clock may not even ask (EPERM): then whether systemd-timesyncd has synchronised it in this boot.
    public static var isSynchronised: Bool { isSynchronised(at: now, wall) }

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

    /// By what this boot of the machine is known: `now` of two processes can be compared where it is the same. Empty where nobody tells.
    public static var machineBoot: String {
        let text = try? readFile(at: "/proc/sys/kernel/random/boot_id", limit: 64)
        return text.map { String(decoding: $0.prefix { $0 > 0x20 }, as: UTF8.self) } ?? ""
    }

    /// By how much the local clock is ahead of UTC now, as the system's time zone has it.
    public static var utcOffset: Interval {
        var time = Glibc.time(nil)
        var parts = tm()
        localtime_r(&time, &parts)
        return .seconds(Double(parts.tm_gmtoff))
    }

    /// The processor time that this process has used so far.
    public static var processorTime: Interval {
        Interval(nanoseconds: nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID))
    }

    /// Now, on both clocks.
    public static var moment: Moment {
        let (now, wall) = (now, wall)
        return Moment(instant: now, wall: wall, isSynchronised: isSynchronised(at: now, wall))
    }

    private static func nanoseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
