import Beacons
internal import CLinux
import Glibc

/// The supervisor of this service: systemd, which receives datagrams as in sd_notify(3). Without a supervisor, all
/// methods do nothing and nothing fails.
package struct Supervisor: Sendable {
    /// How often the supervisor expects a sign of life; `nil`: never.
    package let watchdogPeriod: Interval?
    private let address: [UInt8]
    private let socket: Socket?

    private final class Socket: Sendable {
        let descriptor: FileDescriptor
        init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
    }

    /// Creates the supervisor that the environment names. The variables are removed, so that child processes do not
    /// inherit them.
    package init() {
        self.init(
            path: variable("NOTIFY_SOCKET"), microseconds: variable("WATCHDOG_USEC"), process: variable("WATCHDOG_PID"))
        for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] { unsetenv(name) }
    }

    /// Creates the supervisor with a socket at `path`; a path that begins with `@` is an abstract socket.
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

    package func ready() { send("READY=1") }

    /// Reports that the service reloads its configuration, until `ready`.
    package func reloading() { send("RELOADING=1\nMONOTONIC_USEC=\(monotonicMicroseconds)") }

    package func stopping() { send("STOPPING=1") }

    /// Reports that all duties of the service are on time.
    package func alive() { send("WATCHDOG=1") }

    /// Reports a status sentence for `systemctl status`.
    package func status(_ sentence: String) {
        send("STATUS=" + printable(sentence.split(separator: "\n").joined(separator: " ")))
    }

    private func send(_ text: String) {
        guard let socket else { return }
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: name.sun_path)
        guard address.count < room else { return }
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: address) }
        // The path of a file ends with a zero; an abstract name ends at its length.
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

    // The clock that systemd compares with: CLOCK_MONOTONIC, which stops while the machine sleeps.
    private var monotonicMicroseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}

private func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
