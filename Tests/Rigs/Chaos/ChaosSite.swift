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
    /// When each tag of each gateway came and went, in seconds from the beginning.
    private(set) var stays: [[[ClosedRange<Double>]]] = []
    private(set) var gateways: [Participant] = []
    private(set) var aggregator: Participant!
    private let began = Clock.now
    let beganOnTheWall = Clock.wall
    private let setting: Setting

    var participants: [Participant] { gateways + [aggregator] }
    var proxies: [CuttingProxy] { participants.map(\.proxy) }
    var elapsed: Double { Double((Clock.now - began).nanoseconds) / 1e9 }

    /// What one site has that another has not.
    struct Setting {
        /// The folder with both programs.
        var programs: String
        /// How many gateways there are, how many tags each receives, and for how long.
        var gateways = 3
        var tags = 6
        var seconds: Double
        /// How often the broker writes what it has to its disk, in seconds; `nil`: it has none, and a kill wipes its memory.
        var autosave: Int?
        /// The words before a program's own arguments.
        var prefix: (_ participant: String, _ folder: TestFolder) -> [String] = { _, _ in [] }
        /// Where a program stores what must survive.
        var state: (_ participant: String) -> String = { $0 }
    }

    init(_ setting: Setting, in folder: TestFolder, using generator: inout some RandomNumberGenerator) throws {
        (self.setting, self.folder) = (setting, folder)
        (tags, seconds) = (setting.tags, setting.seconds)
        var options = TestBroker.Options()
        if let autosave = setting.autosave {
            let disk = folder.path("broker/")
            try run(["mkdir", disk], in: folder)
            options.lines = ["persistence true", "persistence_location \(disk)", "autosave_interval \(autosave)"]
        }
        broker = try TestBroker(options)
        for gateway in 1...setting.gateways {
            stays.append(
                try TagRecording.write(
                    to: folder.path("g\(gateway).btsnoop"), gateway: gateway, tags: tags, seconds: seconds,
                    using: &generator))
            gateways.append(try makeGateway(gateway))
        }
        aggregator = try makeAggregator(gateways: setting.gateways)
    }

    /// The path of a program's state folder.
    func state(of participant: String) -> String {
        let path = setting.state(participant)
        return path.hasPrefix("/") ? path : folder.path(path)
    }

    private func start(_ program: String, _ file: String, as name: String) throws -> Child {
        try Child(
            setting.prefix(name, folder) + [setting.programs + "/" + program, "run", "--config", file],
            output: folder.path("\(name).log"))
    }

    private func makeGateway(_ number: Int) throws -> Participant {
        let proxy = try CuttingProxy(to: broker.port)
        let name = "g\(number)"
        return Participant(name, over: proxy) { [unowned self] in
            // What is received now plays now, whenever the gateway starts.
            let position = TagRecording.start + .seconds(min(elapsed, seconds + 1))
            let file = try folder.write(
                """
                id = "\(name)"
                room = "Room \(number)"
                state_directory = "\(state(of: name))"
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
            return try start("forgetmenot-gateway", file, as: name)
        }
    }

    private func makeAggregator(gateways count: Int) throws -> Participant {
        let proxy = try CuttingProxy(to: broker.port)
        var text =
            "state_directory = \"\(state(of: "aggregator"))\"\n[mqtt]\nhost = \"127.0.0.1\"\nport = \(proxy.port)\n"
            + "[page]\nenabled = false\n[history]\nenabled = false\n"
        for gateway in 1...count {
            for tag in 1...tags {
                let beacon = TagRecording.identity(gateway: gateway, tag: tag)
                text += "[[item]]\nname = \"\(Self.item(gateway: gateway, tag: tag))\"\n"
                text += "uuid = \"\(beacon.uuid)\"\nmajor = \(beacon.major)\nminor = \(beacon.minor)\n"
            }
        }
        let file = try folder.write(text, to: "aggregator.toml")
        return Participant("aggregator", over: proxy) { [unowned self] in
            try start("forgetmenot", file, as: "aggregator")
        }
    }

    static func item(gateway: Int, tag: Int) -> String { "g\(gateway)-tag\(tag)" }

    /// Lets time pass: the lines are served meanwhile.
    func wait(until second: Double) {
        CuttingProxy.serve(proxies, until: began + .seconds(second))
    }
}
