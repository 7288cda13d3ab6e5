import Beacons
import Glibc
import Linux
import TestBroker

/// A broker, gateways with tags that come and go, and an aggregator with an item for each tag: real programs, each with a line of its own.
final class ChaosSite {
    let broker: TestBroker
    let folder: TestFolder
    let seconds: Double
    let tags: Int
    private(set) var gateways: [Party] = []
    private(set) var aggregator: Party!
    private let began = Clock.now
    private let programs: String

    var parties: [Party] { gateways + [aggregator] }
    var proxies: [CuttingProxy] { parties.map(\.proxy) }
    var elapsed: Double { Double((Clock.now - began).nanoseconds) / 1e9 }

    /// - Parameter programs: the folder with both programs.
    init(
        programs: String, gateways count: Int, tags: Int, seconds: Double,
        using generator: inout some RandomNumberGenerator
    ) throws {
        (self.programs, self.tags, self.seconds) = (programs, tags, seconds)
        broker = try TestBroker()
        folder = try TestFolder()
        for gateway in 1...count {
            try TagRecording.write(
                to: folder.path("g\(gateway).btsnoop"), gateway: gateway, tags: tags, seconds: seconds,
                using: &generator)
            gateways.append(try makeGateway(gateway))
        }
        aggregator = try makeAggregator(gateways: count)
    }

    private func makeGateway(_ number: Int) throws -> Party {
        let proxy = try CuttingProxy(to: broker.port)
        let name = "g\(number)"
        return Party(name, over: proxy) { [self] in
            // What would be heard now plays now, whenever it starts.
            let position = TagRecording.start + .seconds(min(elapsed, seconds + 1))
            let file = try folder.write(
                """
                id = "\(name)"
                room = "Room \(number)"
                state_directory = "\(name)"
                [mqtt]
                host = "127.0.0.1"
                port = \(proxy.port)
                [radio]
                source = "capture:\(name).btsnoop"
                at_end = "silence"
                start_at = "\(position)"
                [monitoring]
                exit_after = "2s"
                """, to: "\(name).toml")
            return try Child(
                [programs + "/forgetmenot-gateway", "run", "--config", file], output: folder.path("\(name).log"))
        }
    }

    private func makeAggregator(gateways count: Int) throws -> Party {
        let proxy = try CuttingProxy(to: broker.port)
        var text = "state_directory = \"aggregator\"\n[mqtt]\nhost = \"127.0.0.1\"\nport = \(proxy.port)\n"
        for gateway in 1...count {
            for tag in 1...tags {
                let beacon = TagRecording.identity(gateway: gateway, tag: tag)
                text += "[[item]]\nname = \"\(Self.item(gateway: gateway, tag: tag))\"\n"
                text += "uuid = \"\(beacon.uuid)\"\nmajor = \(beacon.major)\nminor = \(beacon.minor)\n"
            }
        }
        let file = try folder.write(text, to: "aggregator.toml")
        return Party("aggregator", over: proxy) { [self] in
            try Child([programs + "/forgetmenot", "run", "--config", file], output: folder.path("aggregator.log"))
        }
    }

    static func item(gateway: Int, tag: Int) -> String { "g\(gateway)-tag\(tag)" }

    /// Lets time pass: the lines are served meanwhile.
    func wait(until second: Double) {
        CuttingProxy.serve(proxies, until: began + .seconds(second))
    }
}
