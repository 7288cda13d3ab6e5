import Beacons
import Glibc
import Linux
import Messages
import Mosquitto
import TestBroker

/// One person who leaves without her keys, the aggregator with a channel to her phone, and a gateway that this program publishes itself.
///
/// The clocks of the whole site can be ahead of the true time, so that half a minute or an hour passes at once.
final class MessageSite {
    /// The item that Anna carries, and the item that she must not forget.
    static let (phone, keys) = (item(1), item(2))
    /// The wall clock of the aggregator alone is ahead by that many seconds.
    var clockError = 0 { didSet { writeClocks() } }
    /// So long after a cause, its effect is there.
    static let patience = Interval.seconds(20)
    let folder: TestFolder
    let push = PushedMessages()
    private let broker: TestBroker
    private let programs: String
    private let connection: BrokerConnection
    private var aggregator: Child?
    private var events: [LoggedEvent] = []
    private var isPhoneHere = true
    /// By how many seconds all clocks are ahead of the true time.
    private var ahead = 0 { didSet { writeClocks() } }
    private let began = Clock.now
    private let boot = Boot("1.test")!
    /// What the gateway publishes stays valid when an hour passes at once.
    private static let validity: UInt32 = 7200

    private static func item(_ minor: UInt16) -> BeaconIdentity {
        BeaconIdentity(uuid: TagRecording.uuid, major: 1, minor: minor)
    }

    init(programs: String) throws {
        self.programs = programs
        (broker, folder) = (try TestBroker(), try TestFolder())
        var options = BrokerOptions(host: "127.0.0.1", port: Int(broker.port), clientID: "hall")
        let topics = ["gateways/hall/request/#", "people/anna/location", "items/keys/location", "items/keys/event"]
        options.subscriptions = topics.map { Subscription("forgetmenot/" + $0) }
        connection = try BrokerConnection(options)
        try folder.write("Zk3s\n", to: "anna.topic")
        try folder.write("1\n", to: "synchronised")
        // Each message then has a URL of its own, by which two messages differ.
        try folder.write(
            """
            state_directory = "\(folder.path("state"))"
            [mqtt]
            host = "127.0.0.1"
            port = \(broker.port)
            [page]
            enabled = false
            url = "http://page.example"
            [history]
            enabled = false
            [[person]]
            name = "Anna"
            carries = ["phone"]
            [[channel]]
            person = "anna"
            kind = "ntfy"
            url = "http://127.0.0.1:\(push.port)"
            topic_file = "anna.topic"
            [[item]]
            name = "phone"
            uuid = "\(Self.phone.uuid)"
            major = 1
            minor = 1
            [[item]]
            name = "keys"
            uuid = "\(Self.keys.uuid)"
            major = 1
            minor = 2
            owners = ["Anna"]
            needed = "always"
            """, to: "aggregator.toml")
        writeClocks()
        try connection.start()
        try serve(for: .seconds(30), until: { self.isConnected })
        publish(.gatewayAvailability(gateway: "hall"), Availability.online.bytes, retain: true)
        try start()
        for item in [Self.phone, Self.keys] { try event(.enter, item) }
        try pass(20)
        try wait(for: "people/anna", "home")
    }

    private func writeClocks() {
        for (name, value) in [("clock", ahead + clockError), ("uptime", ahead)] {
            _ = try? folder.write("\(value)\n", to: name)
        }
    }

    // MARK: The aggregator

    /// Starts the aggregator.
    func start() throws {
        aggregator = try Child(
            SteeredKernel.prefix(
                clock: folder.path("clock"), uptime: folder.path("uptime"), synchronised: folder.path("synchronised"))
                + [programs + "/forgetmenot", "run", "--config", folder.path("aggregator.toml")],
            output: folder.path("aggregator.log"))
    }

    /// Kills the aggregator, and starts it again.
    func kill() throws {
        end(by: SIGKILL)
        push.lastKill = Clock.now
        try start()
    }

    /// Ends the aggregator with a signal; returns whether it ran until then and ended by it, or with status 0.
    @discardableResult
    func end(by signal: Int32) -> Bool {
        let isRunning = aggregator?.isRunning ?? false
        aggregator?.signal(signal)
        return isRunning && [0, -signal].contains(aggregator?.waitForEnd())
    }

    /// How often the aggregator has decided that something was forgotten.
    var decided: Int { forgotten.count }

    // MARK: What happens

    /// Anna leaves with her phone, without her keys. The aggregator knows it once they were received half a minute later.
    func leave() throws {
        try wait(for: "items/keys", "home")
        isPhoneHere = false
        try event(.exit, Self.phone)
        try wait(for: "people/anna", "away")
        try pass(35)
    }

    /// Anna comes back, and stays for two minutes: before that she cannot leave again.
    func comeBack() throws {
        isPhoneHere = true
        try event(.enter, Self.phone)
        try wait(for: "people/anna", "home")
        try pass(130)
    }

    private func wait(for what: String, _ presence: String) throws {
        try serve(for: Self.patience) { presences[what] == presence }
        guard presences[what] == presence else { throw TestBrokerError("\(what) is not \(presence)") }
    }

    /// Lets so many seconds pass at once, for all clocks of the site.
    func pass(_ seconds: Int) throws {
        ahead += seconds
        try serve(for: .milliseconds(500))
    }

    /// Lets real time pass, at most until `isSo`: the server and the gateway do their work meanwhile.
    func serve(for span: Interval, until isSo: () -> Bool = { false }) throws {
        let end = Clock.now + span
        while Clock.now < end, !isSo() {
            respond()
            if isConnected { range() }
            try push.serve(within: .milliseconds(100))
        }
    }

    // MARK: The gateway

    private var isConnected = false
    private var forgotten: Set<EventID> = []
    /// What the aggregator published last of an item or a person.
    private var presences: [String: String] = [:]

    private var stamp: Stamp {
        let ahead = Interval.seconds(Double(ahead))
        return Stamp(at: Clock.wall + ahead, boot: boot, uptime: .zero + (Clock.now - began) + ahead)
    }

    private func event(_ transition: Messages.Transition, _ beacon: BeaconIdentity) throws {
        let name = beacon == Self.phone ? "phone" : "keys"
        let stamp = stamp
        let event = BeaconEvent(
            transition, seq: UInt64(events.count + 1), stamp: stamp, gateway: "hall", room: "Hall", beacon: beacon,
            regions: [name], insideForSeconds: transition == .exit ? 1 : nil,
            lastSeenAt: transition == .exit ? stamp.at : nil)
        events.append(.beacon(event))
        publish(.beaconEvent(beacon, gateway: "hall"), event.bytes)
    }

    private func range() {
        let info = GatewayInfo(
            gateway: "hall", room: "Hall", version: "1.0.0", stamp: stamp,
            validFor: Self.validity, radio: GatewayInfo.Radio(source: "test", state: .poweredOn),
            log: events.isEmpty ? [] : [LogRange(boot: boot, seqs: SeqRange(from: 1, to: UInt64(events.count)))],
            regions: 2)
        publish(.gatewayInfo(gateway: "hall"), info.bytes, retain: true)
        for beacon in isPhoneHere ? [Self.phone, Self.keys] : [Self.keys] {
            let state = RangedState(
                gateway: "hall", room: "Hall", proximity: .near, rssi: -60, sightings: 9, addresses: 1, stamp: stamp,
                validFor: Self.validity)
            publish(.proximity(beacon, gateway: "hall"), state.bytes)
        }
    }

    /// Responds to what the aggregator asks of the gateway's events.
    private func respond() {
        for notice in connection.take() {
            if case .connected = notice { isConnected = true }
            guard case .message(let message) = notice else { continue }
            if case .item(let event)? = try? LoggedEvent(parsing: message.payload), case .forgotten = event.change {
                forgotten.insert(event.id)
            }
            guard message.topic.hasSuffix("/events") else {
                let subject = message.topic.split(separator: "/").dropFirst().dropLast().joined(separator: "/")
                let text = String(decoding: message.payload, as: UTF8.self)
                presences[subject] = ["home", "away"].first { text.contains("\"presence\":\"\($0)\"") }
                continue
            }
            let request = Request(parsing: message.payload)
            guard let body: EventsRequest = try? request.body() else { continue }
            let seqs = body.seqs.from...body.seqs.to
            let response = EventsResponse(events: events.filter { seqs.contains($0.id.seq) }, more: false)
            publish(
                .gatewayResponse(gateway: "hall", what: "events"),
                Response(.done(response), transaction: request.transaction).bytes)
        }
    }

    private func publish(_ topic: Topic, _ payload: [UInt8], retain: Bool = false) {
        _ = connection.publish(
            OutgoingMessage(topic: topic.name(under: .standard), payload: payload, qos: .atLeastOnce, retain: retain))
    }
}
