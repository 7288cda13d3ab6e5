import ArgumentParser
import Beacons
import Linux
import Messages
import Text

struct NearbyCommand: ShowCommand {
    static let configuration = CommandConfiguration(
        commandName: "nearby",
        abstract: "List beacons in range that belong to no item, strongest first.",
        discussion:
            "Asks every live gateway and waits up to 2 s for the responses. For each beacon it shows the gateway that receives it best."
    )

    @OptionGroup var show: ShowOptions

    func perform(over session: BrokerSession) throws(Failure) -> ExitStatus {
        let nearby = try Nearby(over: session)
        nearby.reportSilentGateways()
        guard !show.json else {
            printJSON(jsonArray(nearby.beacons) { $0.write(to: &$1) })
            return .right
        }
        var table = Table([
            "UUID", .right("MAJOR"), .right("MINOR"), "NAME", .right("RSSI"), "GATEWAY", "ROOM", .right("RECEIVED BY"),
        ])
        for beacon in nearby.beacons {
            table.append([
                "\(beacon.beacon.uuid)", "\(beacon.beacon.major)", "\(beacon.beacon.minor)", beacon.name,
                dBm(beacon.received[0].beacon.rssi), beacon.received[0].gateway, beacon.received[0].room,
                "\(beacon.received.count)",
            ])
        }
        for line in table.lines(width: terminalWidth()) { printLine(line) }
        return .right
    }
}

/// The beacons in range of the running gateways that belong to no item.
struct Nearby {
    /// How long the gateways may take to respond.
    static let patience = Interval.seconds(2)
    /// A beacon that is this much stronger than all others, in dB, is held against a gateway: fading alone does not do that.
    static let margin = 10.0

    /// The beacons, the strongest RSSI first.
    let beacons: [NearbyBeacon]
    /// The gateways that did not respond in time.
    let silent: [String]

    /// Asks every running gateway; throws if there is none, or none responds.
    init(over session: BrokerSession) throws(Failure) {
        var view = SiteView()
        var responses: [String: BeaconsResponse] = [:]
        var asked: Set<String> = []
        let transaction = JSONValue.string("cli-\(UInt64.random(in: 0 ... .max))")
        try session.follow([.viewer, .askerOfGateways(.beacons)]) { event in
            switch event {
            case .message(.gatewayResponse(let gateway, _), let payload, _):
                guard let response = try? Response<BeaconsResponse>(parsing: payload),
                    response.transaction == transaction, case .done(let response) = response.outcome
                else { return .goOn }
                responses[gateway] = response
                return asked.isSubset(of: responses.keys) ? .stop : .goOn
            case .message(let topic, let payload, let delivery): view.receive(topic, payload, delivery)
            case .caughtUp:
                let now = Clock.now
                asked = Set(
                    view.gateways.filter { $0.value.info != nil && $0.value.liveness(at: now) != .dead }.keys)
                guard !asked.isEmpty else { return .stop }
                let payload = Request.bytes(transaction: transaction)
                let requests = asked.map { Message(.request(.beacons, to: $0), bytes: payload) }
                return .ask(requests, within: Self.patience)
            case .failing: break
            }
            return .goOn
        }
        guard !asked.isEmpty else {
            throw Failure(.unavailable, "no gateway is running: start \"forgetmenot-gateway run\"")
        }
        let silent = asked.subtracting(responses.keys).sorted()
        guard !responses.isEmpty else {
            throw Failure(.unavailable, "no gateway responds (\(silent.joined(separator: ", "))): look at their logs")
        }
        // A plan may give a gateway another room than its own.
        for id in responses.keys {
            if let room = view.room(of: id) { responses[id]?.room = room }
        }
        self.init(responses, silent: silent, known: Set(view.items.values.map(\.beacon)))
    }

    /// Merges the gateways' responses, without the beacons of items.
    init(_ responses: [String: BeaconsResponse], silent: [String] = [], known: Set<BeaconIdentity>) {
        self.silent = silent
        beacons = NearbyBeacon.merged(responses).filter { !known.contains($0.beacon) }
    }

    /// Prints on standard error which gateways did not respond.
    func reportSilentGateways() {
        for gateway in silent {
            printError(
                "forgetmenot: \(gateway) did not respond within \(Int(Self.patience.seconds)) s: look at its log")
        }
    }

    /// The beacon that is held against a gateway: nearer than a metre by the measured power that it claims, and clearly stronger than all others.
    func nearest() throws(Failure) -> BeaconIdentity {
        guard let first = beacons.first else {
            throw Failure(.no, "no unknown beacon is in range: hold one against a gateway for ten seconds")
        }
        let others = beacons.dropFirst().prefix { first.rssi - $0.rssi < Self.margin }
        guard others.isEmpty else {
            let candidates = ([first] + others).prefix(5).map(\.inWords).joined(separator: ", ")
            throw Failure(
                .no,
                "several unknown beacons are about equally strong (\(candidates)): hold one against a gateway, or give --uuid, --major, --minor"
            )
        }
        let reach = first.measuredPower.isPlausible ? Double(first.measuredPower.dBm) : -60
        guard first.rssi >= reach else {
            throw Failure(
                .no, "the strongest unknown beacon is \(first.inWords), which is not near: hold it against a gateway")
        }
        return first.beacon
    }
}

extension NearbyBeacon {
    fileprivate var inWords: String { "\(beacon) (\(dBm(received[0].beacon.rssi)) at \(received[0].gateway))" }

    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.fields(of: beacon)
            json.field("name", name)
            json.field("rssi_dbm", received[0].beacon.rssi, decimals: 1)
            json.field("measured_power_dbm", measuredPower.dBm)
            json.field("gateway", received[0].gateway)
            json.field("room", received[0].room)
            json.array("gateways", of: received) { place, json in
                json.field("gateway", place.gateway)
                json.field("room", place.room)
                json.field("rssi_dbm", place.beacon.rssi, decimals: 1)
            }
        }
    }
}

/// `-61 dBm`.
private func dBm(_ rssi: Double?) -> String { rssi.map { "\(Int($0.rounded())) dBm" } ?? "unknown" }
