import Beacons
import Glibc
import Linux
import Mosquitto
import TestBroker

/// Two hundred connections that lose one broker, and come back when it does: no stampede.
enum Herd {
    /// No second may see more than this share of them arrive.
    static let most = 0.6

    /// Does it with `count` connections; exits with 1 where too many arrive at once, or one does not.
    static func run(_ count: Int, down seconds: Double = 5) throws {
        print("chaos: \(count) connections, the broker is away for \(Int(seconds)) s")
        // Sockets and bells: of the broker's limit, which it inherits, it takes some for itself.
        var limit = rlimit(rlim_cur: rlim_t(count * 8 + 1024), rlim_max: rlim_t(count * 8 + 1024))
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let broker = try TestBroker()
        let connections = try (0..<count).map { number in
            try BrokerConnection(
                BrokerOptions(host: "127.0.0.1", port: Int(broker.port), clientID: "gateway-\(number)"))
        }
        for connection in connections { try connection.start() }
        _ = arrivals(of: connections, within: 60)
        broker.kill()
        _ = Linux.wait(for: [], until: Clock.now + .seconds(seconds))
        for connection in connections { _ = connection.take() }
        try broker.restart()
        let times = arrivals(of: connections, within: 90)
        var seconds: [Int: Int] = [:]
        for time in times { seconds[Int(time), default: 0] += 1 }
        let table = seconds.sorted { $0.key < $1.key }.map { "\($0.key) s: \($0.value)" }.joined(separator: ", ")
        print("\(times.count) of \(count) are back; arrivals by second: \(table)")
        for connection in connections { connection.stop(within: .zero) }
        guard times.count == count, Double(seconds.values.max() ?? 0) <= Self.most * Double(count) else {
            broker.kill()
            print("chaos: a stampede, or somebody stays away")
            exit(1)
        }
    }

    /// When each was connected, in seconds from now; it ends when all are.
    private static func arrivals(of connections: [BrokerConnection], within patience: Double) -> [Double] {
        let began = Clock.now
        var waiting = connections
        var times: [Double] = []
        var failures: [String: Int] = [:]
        while !waiting.isEmpty, Clock.now < began + .seconds(patience) {
            let ready = Linux.wait(for: waiting.map(\.wakeup), until: began + .seconds(patience))
            let now = Double((Clock.now - began).nanoseconds) / 1e9
            var rest: [BrokerConnection] = []
            for (connection, isReady) in zip(waiting, ready) {
                var isConnected = false
                for notice in isReady ? connection.take() : [] {
                    switch notice {
                    case .connected: isConnected = true
                    case .failing(let fault): failures[fault.description, default: 0] += 1
                    default: isConnected = false
                    }
                }
                if isConnected { times.append(now) } else { rest.append(connection) }
            }
            waiting = rest
        }
        for (failure, count) in failures.sorted(by: { $0.value > $1.value }).prefix(3) { print("\(count): \(failure)") }
        return times
    }
}
