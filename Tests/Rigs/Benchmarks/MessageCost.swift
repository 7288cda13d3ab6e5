import Beacons
import Delivery
import HCI
import Messages

/// What one message costs between the connection and the pipelines. Each row takes a number of messages and returns a checksum.
enum MessageCost {
    /// One step that both services take for each message.
    struct Row: Sendable {
        /// The step, in a few words, and the name by which `count` finds it.
        var name: String
        var id: String
        /// Takes so many messages.
        var run: @Sendable (Int) -> Int
    }

    static let rows: [Row] = [
        Row(name: "advertisement, decoded", id: "advertisement") { count in
            var (decoder, reader, sum) = (AdvertisementDecoder(), SightingReader(), 0)
            let corpus = corpus
            for number in 0..<count {
                decoder.decode(corpus.bytes.span.bytes.extracting(corpus.packets[number & 1023]), at: .zero) {
                    advertisement, data in
                    sum &+= reader.read(advertisement, data) == nil ? 1 : 2
                }
            }
            return sum
        },
        Row(name: "advertisement, through the whole gateway", id: "gateway") { count in
            var (run, now) = (DryRun.ofAllBeacons(), Instant.zero)
            let corpus = corpus
            for number in 0..<count {
                now = now + .milliseconds(1)
                run.take(corpus.bytes.span.bytes.extracting(corpus.packets[number & 1023]), at: now)
            }
            return 1 + run.messages
        },
        Row(name: "ranged state, through the aggregator, 12 gateways", id: "site") {
            SiteLoad.states($0, gateways: 12)
        },
        Row(name: "ranged state, through the aggregator, 50 gateways", id: "site-50") {
            SiteLoad.states($0, gateways: 50)
        },
        Row(name: "topic of a ranged state, read", id: "topic-read") { count in
            var sum = 0
            for number in 0..<count {
                guard case .proximity(let beacon, _)? = Topic(named: names[number & 63], under: .standard) else {
                    continue
                }
                sum &+= Int(beacon.minor)
            }
            return sum
        },
        Row(name: "ranged state, read on its topic", id: "state-read") { count in
            var sum = 0
            for number in 0..<count {
                let place = number & 63
                guard let state = try? RangedState(parsing: payloads[place], on: topics[place]) else { continue }
                sum &+= state.sightings
            }
            return sum
        },
        Row(name: "ranged state, written for the broker", id: "state-write") { count in
            var (sum, json) = (0, JSONWriter(reserving: 1024))
            for number in 0..<count {
                let place = number & 63
                let message = Message(topics[place], states[place], using: &json)
                sum &+= OutgoingMessage(message, under: .standard).payload.count
            }
            return sum
        },
        Row(name: "location, written for the broker", id: "location-write") { count in
            var (sum, json) = (0, JSONWriter(reserving: 1024))
            for number in 0..<count {
                let location = locations[number & 63]
                let message = Message(.itemLocation(item: location.item), location, using: &json)
                sum &+= OutgoingMessage(message, under: .standard).payload.count
            }
            return sum
        },
        Row(name: "outbox, a message in and out", id: "outbox") { count in
            var (sum, outbox) = (0, Outbox())
            let messages = (0..<64).map { OutgoingMessage(Message(topics[$0], states[$0]), under: .standard) }
            for number in 0..<count {
                outbox.add(messages[number & 63])
                guard number & 15 == 15 else { continue }
                while let first = outbox.first {
                    sum &+= first.payload.count
                    outbox.removeFirst()
                }
            }
            return sum
        },
    ]

    private static let corpus = Corpus(adverts: 1024, reportsPerEvent: 1)
    private static let uuid = BeaconUUID("daf246ce-8363-11e4-b116-123b93f75cba")!
    private static let boot = Boot("17.kfqx")!
    private static func beacon(_ number: Int) -> BeaconIdentity {
        BeaconIdentity(uuid: uuid, major: UInt16(number % 7 * 90), minor: UInt16(number * 991))
    }
    private static func stamp(_ number: Int) -> Stamp {
        Stamp(
            at: WallTime(milliseconds: 1_795_239_612_345 + Int64(number) * 7919), boot: boot,
            uptime: Instant(milliseconds: 1_234_567 + Int64(number) * 7919))
    }
    private static let topics = (0..<64).map { Topic.proximity(beacon($0), gateway: "kitchen-\($0 % 9)") }
    private static let names = topics.map { $0.name(under: .standard) }
    private static let states = (0..<64).map { number in
        RangedState(
            gateway: "kitchen-\(number % 9)", room: "Kitchen \(number % 9)", proximity: .near,
            accuracy: 1.84 + Double(number) * 0.07, rssi: -67.25 - Double(number) * 0.3, sightings: 9,
            measuredPower: MeasuredPower(dBm: -59), addresses: 1, stamp: stamp(number), validFor: 25)
    }
    private static let payloads = states.map(\.bytes)
    private static let locations = (0..<64).map { number in
        ItemLocation(
            item: "laptop-bag-\(number)", name: "Laptop bag \(number)", presence: .home, room: "Kitchen",
            confidence: 0.87,
            rooms: [.init("Kitchen", 0.87), .init("Hall", 0.1), .init("Living room", 0.03)],
            gateway: "kitchen-\(number % 9)",
            proximity: .near, accuracy: 1.84, since: WallTime(milliseconds: 1_795_239_600_000),
            lastSeenAt: WallTime(milliseconds: 1_795_239_612_345), stamp: stamp(number))
    }
}
