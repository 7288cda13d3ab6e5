import Beacons
import Glibc
import Linux

/// Stands between one client and a server on this host, and cuts or stops the line on demand. It acts only while it is served.
package final class CuttingProxy {
    /// What becomes of what is sent.
    package enum Line: Sendable {
        /// It is handed on.
        case open
        /// Every connection is closed at once.
        case cut
        /// Connections stay and are accepted, and nothing is handed on: a line that hangs.
        case silent
    }

    /// Where the client connects to.
    package let port: UInt16
    /// What becomes of what is sent from now on.
    package var line = Line.open {
        didSet { if line == .cut { pairs.removeAll() } }
    }
    /// How many connections it has taken.
    package private(set) var connections = 0

    private let target: UInt16
    private let listener: OpenSocket
    private var pairs: [Pair] = []

    /// One connection: what one end has sent and the other has not received yet.
    private final class Pair {
        let ends: [OpenSocket]
        var waiting: [[UInt8]] = [[], []]
        var isOver = false

        init(client: OpenSocket, server: OpenSocket) { ends = [client, server] }
    }

    /// Leads to `target`, which need not be there yet.
    package init(to target: UInt16) throws(SystemError) {
        self.target = target
        listener = try OpenSocket(listeningOn: 0, .v4, backlog: 16)
        port = listener.port
    }

    /// Serves all of them until `deadline`.
    package static func serve(_ proxies: [CuttingProxy], until deadline: Instant) {
        while Clock.now < deadline {
            var entries: [pollfd] = []
            for proxy in proxies { entries += proxy.interests }
            let milliseconds = max(1, min(1000, (deadline - Clock.now).nanoseconds / 1_000_000))
            guard poll(&entries, nfds_t(entries.count), Int32(milliseconds)) > 0 else { continue }
            for proxy in proxies { proxy.move() }
        }
    }

    /// What is to be waited for. A line that hangs is not looked at, or it would be seen to be ready again and again.
    private var interests: [pollfd] {
        var entries = [pollfd(fd: listener.number, events: Int16(POLLIN), revents: 0)]
        guard line != .silent else { return entries }
        for pair in pairs {
            for end in 0..<2 {
                var events = pair.waiting[1 - end].isEmpty ? 0 : POLLOUT
                if pair.waiting[end].count < 1 << 20 { events |= POLLIN }
                entries.append(pollfd(fd: pair.ends[end].number, events: Int16(events), revents: 0))
            }
        }
        return entries
    }

    private func move() {
        accept()
        guard line == .open else { return }
        for pair in pairs {
            for end in 0..<2 {
                read(from: end, of: pair)
                write(what: end, of: pair)
            }
        }
        pairs.removeAll { $0.isOver }
    }

    private func accept() {
        while let client = listener.accept() {
            connections += 1
            guard line != .cut, let server = try? OpenSocket(.v4) else { continue }
            guard server.connect(to: target) == 0 || errno == EINPROGRESS else { continue }
            pairs.append(Pair(client: client, server: server))
        }
    }

    private func read(from end: Int, of pair: Pair) {
        guard !pair.isOver, pair.waiting[end].count < 1 << 20 else { return }
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(pair.ends[end].number, &chunk, chunk.count, 0)
        if count > 0 {
            pair.waiting[end] += chunk[..<count]
        } else if count == 0 || errno != EAGAIN && errno != ENOTCONN {
            pair.isOver = true
        }
    }

    /// Hands on what `end` sent to the other.
    private func write(what end: Int, of pair: Pair) {
        guard !pair.isOver, !pair.waiting[end].isEmpty else { return }
        let count = send(pair.ends[1 - end].number, pair.waiting[end], pair.waiting[end].count, Int32(MSG_NOSIGNAL))
        if count > 0 {
            pair.waiting[end].removeFirst(count)
        } else if errno != EAGAIN && errno != ENOTCONN {
            pair.isOver = true
        }
    }
}
