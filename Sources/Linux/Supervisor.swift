import Beacons
internal import CLinux
import Glibc

/// Whoever started this service and wants to know how it fares: systemd, to which sd_notify(3) is a datagram. Where nobody does, all is
/// in vain and nothing fails.
public struct Supervisor: Sendable {
    /// How often it wants to hear that all goes on; `nil`: never.
    public let watchdogPeriod: Interval?
    private let address: [UInt8]
    private let socket: Socket?

    private final class Socket: Sendable {
        let descriptor: FileDescriptor
        init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
    }

    /// The one that the environment names. What the service starts itself is none of its business: the environment forgets it.
    public init() {
        self.init(
            path: variable("NOTIFY_SOCKET"), microseconds: variable("WATCHDOG_USEC"), process: variable("WATCHDOG_PID"))
        for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] { unsetenv(name) }
    }

    /// The one that listens at `path`, which begins with `@` where it is no file.
    init(path: String?, microseconds: String?, process: String?) {
        var address = Array((path ?? "").utf8)
        if address.first == UInt8(ascii: "@") { address[0] = 0 }
        self.address = address
        let number =
            address.isEmpty ? -1 : Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        socket = number >= 0 ? Socket(FileDescriptor(owning: number)) : nil
        let isMeant = process.flatMap { Int32($0) }.map { $0 == getpid() } ?? true
        watchdogPeriod = microseconds.flatMap { Int64($0) }.flatMap { count in
            isMeant && (1...Int64.max / 1000).contains(count) ? Interval(nanoseconds: count * 1000) : nil
        }
    }

    /// The service is up; and after `reloading`: that is done.
    public func ready() { send("READY=1") }

    /// It reads its configuration anew, until `ready`.
    public func reloading() { send("RELOADING=1\nMONOTONIC_USEC=\(monotonicMicroseconds)") }

    /// It was told to stop, and is about to.
    public func stopping() { send("STOPPING=1") }

    /// All that has to go on goes on.
    public func alive() { send("WATCHDOG=1") }

    /// How it fares, in a sentence that `systemctl status` shows.
    public func status(_ sentence: String) {
        send("STATUS=" + printable(sentence.split(separator: "\n").joined(separator: " ")))
    }

    private func send(_ text: String) {
        guard let socket else { return }
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: name.sun_path)
        guard address.count < room else { return }
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: address) }
        // A file's name ends with a zero; one that is no file ends where its length says.
        let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + address.count + (address[0] == 0 ? 0 : 1)
        let bytes = Array(text.utf8)
        _ = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(
                    socket.descriptor.number, bytes, bytes.count,
                    Int32(MSG_NOSIGNAL | MSG_DONTWAIT), $0,
                    socklen_t(length))
            }
        }
    }

    // What systemd compares it with: CLOCK_MONOTONIC, and not ours, which goes on while the machine sleeps.
    private var monotonicMicroseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}

private func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
