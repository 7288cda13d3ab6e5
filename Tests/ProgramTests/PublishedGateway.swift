import Beacons
import Linux
import Messages

/// A gateway that a test publishes itself: beacons enter and exit as fast as it likes. It responds to requests for events while the observer waits.
final class PublishedGateway {
    let id: String
    let room: String
    /// Whether somebody has set the gateway's clock.
    var isClockSynchronised = true
    private let observer: Observer
    private let info: (topic: String, text: String, retained: Bool)
    private var events: [LoggedEvent] = []
    private let count: Int

    /// - Parameter count: how many events it published before, over another observer.
    init(_ id: String, room: String, over observer: Observer, after count: Int = 0) throws {
        (self.id, self.room, self.observer, self.count) = (id, room, observer, count)
        let info =
            "{\"v\":1,\"gateway\":\"\(id)\",\"room\":\"\(room)\",\"version\":\"1.0.0\",\"boot\":\"1.test\",\"uptime_ms\":1,"
            + "\"at\":\"\(Clock.wall)\",\"valid_for_s\":3600,\"radio\":{\"source\":\"test\",\"state\":\"powered_on\"},"
            + "\"log\":[],\"problems\":[],\"regions\":0}"
        self.info = ("forgetmenot/gateways/\(id)/info", info, true)
        try observer.publish([("forgetmenot/gateways/\(id)/availability", "online", true)])
        try beAlive()
        observer.onMessage = { [weak self] message in
            guard message.topic == "forgetmenot/gateways/\(id)/request/events" else { return }
            try? self?.respond(to: Request(parsing: message.payload))
        }
    }

    private func respond(to request: Request) throws {
        let seqs = try request.body(EventsRequest.self).seqs
        let requested = events.filter { $0.id.seq >= seqs.from && $0.id.seq <= seqs.to }
        let body = EventsResponse(
            events: Array(requested.prefix(EventsResponse.most)), more: requested.count > EventsResponse.most)
        try observer.publish(
            "forgetmenot/gateways/\(id)/response/events",
            Response(.done(body), transaction: request.transaction).bytes, retain: false)
    }

    /// Publishes that the gateway runs, which an aggregator that was started does not believe of what the broker retained.
    func beAlive() throws { try observer.publish([info]) }

    /// The events of beacons that enter or exit, with the ids of their items.
    func publish(_ word: String, _ beacons: [(item: String, beacon: BeaconIdentity)]) throws {
        var messages: [(topic: String, text: String, retained: Bool)] = []
        for (item, beacon) in beacons {
            let seq = count + events.count + 1
            let now = Clock.wall
            let unset = isClockSynchronised ? "" : "\"clock_synchronised\":false,"
            let exit = word == "exit" ? "\"inside_for_s\":1.0,\"last_seen_at\":\"\(now)\",\"last_rssi_dbm\":-60.0," : ""
            let text =
                "{\"v\":1,\"event_type\":\"\(word)\",\"id\":\"1.test-\(seq)\",\"seq\":\(seq),\"boot\":\"1.test\","
                + "\"uptime_ms\":\(seq),\"at\":\"\(now)\",\"gateway\":\"\(id)\",\"room\":\"\(room)\","
                + "\"uuid\":\"\(beacon.uuid)\",\"major\":\(beacon.major),\"minor\":\(beacon.minor),\(exit)"
                + "\(unset)\"regions\":[\"\(item)\"]}"
            let topic = Topic.beaconEvent(beacon, gateway: id)
            events.append(.beacon(try BeaconEvent(parsing: Array(text.utf8), on: topic)))
            messages.append((topic.name(under: .standard), text, false))
        }
        try observer.publish(messages)
    }
}
