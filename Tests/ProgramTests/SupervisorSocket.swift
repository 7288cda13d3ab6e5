import Beacons
import Glibc
import Linux
import TestBroker

/// Plays systemd's part: receives what a service sends its supervisor.
final class SupervisorSocket {
    let path: String
    private let descriptor: Int32
    private(set) var received: [String] = []

    init(in folder: TestFolder) throws {
        path = folder.path("notify")
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let isBound = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound else { throw SystemError.last("listen at \(path)") }
    }

    deinit { close(descriptor) }

    /// Starts a program as systemd does, which shall send a sign of life that often.
    func start(_ words: [String], watchdog: Interval = .seconds(30)) throws -> RunningProgram {
        try RunningProgram(
            ["env", "NOTIFY_SOCKET=\(path)", "WATCHDOG_USEC=\(watchdog.nanoseconds / 1000)"] + words)
    }

    /// Waits until a message arrives that begins with these words, from now on.
    @discardableResult
    func receive(_ beginning: String) throws -> String {
        let deadline = Clock.now + .seconds(60)
        while true {
            guard wait(for: [descriptor], until: deadline)[0] else {
                throw TestBrokerError("\(beginning) was not told: \(received)")
            }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            received.append(String(decoding: bytes[..<max(0, count)], as: UTF8.self))
            if received.last?.hasPrefix(beginning) == true { return received.last ?? "" }
        }
    }

    /// Whether anything more has arrived by now.
    var isSilent: Bool { !wait(for: [descriptor], until: Clock.now)[0] }
}
