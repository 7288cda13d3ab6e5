import Glibc
import HCI
import Linux
import TestBroker

/// What the gateway's program costs as a process of its own, with a real mosquitto.
enum GatewayRuns {
    /// Advertisements for which a second of processor time suffices, from a recording into the broker.
    static func advertsPerSecond(_ corpus: Corpus, programs: String) throws -> Double {
        let (folder, broker) = (try TestFolder(), try TestBroker())
        let settings = try configuration(
            in: folder, broker: broker, source: "capture:\(try record(corpus, in: folder))",
            more: "speed = \"fast\"\n")
        let before = childrenTime
        let status = try Child(["\(programs)/forgetmenot-gateway", "run", "--config", settings]).waitForEnd()
        guard status == 0 else { throw TestBrokerError("the gateway ended with \(status)") }
        return Double(corpus.adverts) / (childrenTime - before)
    }

    /// The same of a small gateway in C that calls libmosquitto, and how many states that gateway publishes.
    ///
    /// - Parameter milliseconds: at most one state of a beacon in this time; 0: one for each advertisement.
    static func bareAdvertsPerSecond(_ corpus: Corpus, qos: Int, milliseconds: Int) throws -> (
        rate: Double, states: Int
    ) {
        let (folder, broker) = (try TestFolder(), try TestBroker())
        let recording = try record(corpus, in: folder)
        let output = folder.path("states")
        let before = childrenTime
        let status = try Child(
            ["/proc/self/exe", "gateway", String(broker.port), recording, String(qos), String(milliseconds)],
            output: output
        ).waitForEnd()
        guard status == 0 else { throw TestBrokerError("the gateway in C ended with \(status)") }
        let states = String(decoding: try readFile(at: output, limit: 4096), as: UTF8.self).filter(\.isNumber)
        return (Double(corpus.adverts) / (childrenTime - before), Int(states) ?? 0)
    }

    /// Writes the packets as a recording, 1 ms apart.
    private static func record(_ corpus: Corpus, in folder: TestFolder) throws -> String {
        var file = BtsnoopWriter.header
        var at: Int64 = 1_795_239_600_000_000
        for packet in corpus.packets {
            at += 1000
            BtsnoopWriter.append(
                corpus.bytes.span.bytes.extracting(packet), at: CaptureTime(microseconds: at), to: &file)
        }
        try replaceFile(at: folder.path("recording.btsnoop"), with: file, mode: 0o600)
        return folder.path("recording.btsnoop")
    }

    /// The processor time in ms that a gateway takes until it scans and has published that, and its memory then in MB.
    static func start(programs: String) throws -> (milliseconds: Double, megabytes: Double) {
        let (folder, broker) = (try TestFolder(), try TestBroker())
        let settings = try configuration(in: folder, broker: broker, source: "simulation", more: "")
        let log = folder.path("log")
        let gateway = try Child(["\(programs)/forgetmenot-gateway", "run", "--config", settings], output: log)
        let reader = try Child(
            [
                "mosquitto_sub", "-p", "\(broker.port)", "-t", "forgetmenot/gateways/bench/info", "-C", "1", "-W", "30",
            ])
        guard reader.waitForEnd() == 0 else { throw TestBrokerError("the gateway does not scan") }
        let spent = String(decoding: try readFile(at: "/proc/\(gateway.pid)/schedstat", limit: 4096), as: UTF8.self)
        let status = String(decoding: try readFile(at: "/proc/\(gateway.pid)/status", limit: 16384), as: UTF8.self)
        gateway.end(by: SIGTERM)
        let kilobytes = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }?
            .split(separator: " ").compactMap { Double($0) }.first
        return (
            (spent.split(separator: " ").first.flatMap { Double($0) } ?? 0) / 1e6, (kilobytes ?? 0) / 1024
        )
    }

    private static func configuration(in folder: TestFolder, broker: TestBroker, source: String, more: String) throws
        -> String
    {
        try folder.write(
            """
            id = "bench"
            state_directory = "\(folder.path)"
            [mqtt]
            host = "127.0.0.1"
            port = \(broker.port)
            [radio]
            source = "\(source)"
            \(more)[[region]]
            identifier = "All"
            uuid = "daf246ce-8363-11e4-b116-123b93f75cba"
            """, to: "gateway.toml")
    }

    /// The processor time of the processes that have ended, in seconds.
    private static var childrenTime: Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
