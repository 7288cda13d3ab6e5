import Beacons
import Simulation
import TestBroker

/// A site of a test's own: a broker, and a folder for the configurations and states of its programs.
final class Site {
    let broker: TestBroker
    let folder: TestFolder

    /// The items of the simulated house that are always there.
    static let violin = BeaconIdentity(uuid: House.uuid, major: 2, minor: 8)
    static let cat = BeaconIdentity(uuid: House.uuid, major: 1, minor: 9)
    /// A beacon that nobody has.
    static let ghost = BeaconIdentity(uuid: House.uuid, major: 9, minor: 9)

    /// A region of a gateway's own: everything in the house.
    static let region = "[[region]]\nidentifier = \"House\"\nuuid = \"\(House.uuid)\"\n"

    init(_ options: TestBroker.Options = TestBroker.Options()) throws {
        broker = try TestBroker(options)
        folder = try TestFolder()
    }

    /// The lines that every program needs to find the broker.
    private var mqtt: String { "[mqtt]\nhost = \"localhost\"\nport = \(broker.port)\n" }

    /// The tables of an aggregator that has neither page nor history: the port of the page is the same for all tests.
    static let noPage = "[page]\nenabled = false\n[history]\nenabled = false\n"

    /// The path of an aggregator's configuration, with items by name; `page` are its tables of page and history.
    @discardableResult
    func aggregatorFile(_ items: KeyValuePairs<String, BeaconIdentity> = [:], page: String = noPage) throws -> String {
        var text = "state_directory = \"aggregator\"\n" + mqtt + page
        for (name, beacon) in items { text += "[[item]]\nname = \"\(name)\"\n" + beacon.toml }
        return try folder.write(text, to: "aggregator.toml")
    }

    /// The path of a gateway's configuration; `radio` are the lines of that table, `more` those below it, `broker` more of [mqtt].
    func gatewayFile(_ id: String, room: String, radio: String, broker: String = "", more: String = "") throws -> String
    {
        try folder.write(
            "id = \"\(id)\"\nroom = \"\(room)\"\nstate_directory = \"\(id)\"\n" + mqtt + broker
                + "[radio]\n" + radio + "\n" + more, to: "\(id).toml")
    }

    /// Starts the aggregator.
    func startAggregator(_ items: KeyValuePairs<String, BeaconIdentity> = [:]) throws -> RunningProgram {
        try Program.aggregator.start("run", "--config", aggregatorFile(items))
    }

    /// Starts a gateway in the simulated house.
    func startGateway(_ id: String, room: String, more: String = "") throws -> RunningProgram {
        let file = try gatewayFile(id, room: room, radio: "source = \"simulation\"", more: more)
        return try Program.gateway.start("run", "--config", file)
    }

    /// Runs a command of people's.
    func ask(_ words: String...) throws -> Ended { try ask(words) }

    /// The same, with words that a test has put together.
    func ask(_ words: [String]) throws -> Ended {
        try RunningProgram([Program.aggregator.path] + words + ["--config", folder.path("aggregator.toml")]).ended()
    }
}

extension BeaconIdentity {
    /// As configurations have it.
    var toml: String { "uuid = \"\(uuid)\"\nmajor = \(major)\nminor = \(minor)\n" }
}
