import Beacons
import HCI
import Messages
import Settings
import Simulation

@testable import SiteCore
@testable import GatewayCore

/// A house full of items in virtual time: the real pipelines of all gateways and of the aggregator, with nothing but a list of messages
/// between them. They are counted.
struct BusySite {
    private struct Post {
        var pipeline: GatewayPipeline
        var receiver: SimulatedReceiver
        var decoder = AdvertisementDecoder()
    }

    private var posts: [Post]
    private var site: SitePipeline
    private var now = 0.0
    /// Messages so far by the last word of their topic, events of the logs among them.
    private(set) var messages: [String: Int] = [:]

    private static let opening = HouseTime(WallTime("2026-11-21T05:40:00Z")!)

    /// So many items. Somebody carries each of the first `moving` ones; the others are still.
    init(itemCount: Int, moving: Int, gateways: Int, interval: Interval? = nil, seed: UInt64) throws {
        var house = House.generated(rooms: 8, gateways: gateways, tags: itemCount * 3, seed: seed)
        for person in house.people.indices { house.people[person].goesOut = false }
        let carried = house.tags.filter { $0.transmitter.motion.isCarried }
        let resting = house.tags.filter { !$0.transmitter.motion.isCarried }
        // A program that publishes nothing only costs time here.
        house.bystanders = []
        house.tags = Array(carried.prefix(moving) + resting.prefix(itemCount - moving))
        for tag in house.tags.indices where interval != nil { house.tags[tag].transmitter.interval = interval! }
        precondition(house.tags.count == itemCount, "there are enough things in the house")

        let items = house.tags.enumerated().map { number, tag in
            "[[item]]\nname = \"Thing \(number)\"\nuuid = \"\(tag.beacon.uuid)\"\n"
                + "major = \(tag.beacon.major)\nminor = \(tag.beacon.minor)\n"
        }
        let configuration = readSettings(Array(items.joined().utf8), file: "a") { AggregatorConfiguration($0) }
        site = SitePipeline(configuration.configuration!, boot: Boot("1.aggr")!, stored: nil, at: Self.moment(0))
        posts = house.gateways.map { gateway in
            let text = "id = \"\(gateway.id)\"\nroom = \"\(gateway.room)\"\n"
            let reading = readSettings(Array(text.utf8), file: "g") { GatewayConfiguration($0, hostName: "host") }
            return Post(
                pipeline: GatewayPipeline(reading.configuration!, boot: Boot("1.gate")!, at: Self.moment(0)),
                receiver: SimulatedReceiver(house: house, gateway: gateway, from: Self.opening))
        }
        site.connected(at: Self.moment(0))
        for index in posts.indices {
            posts[index].pipeline.handle(.state(.poweredOn, reason: "test"), at: Self.moment(0))
            posts[index].pipeline.connected(at: Self.moment(0))
        }
        // The registry is published once it is known that the broker holds none.
        site.advance(to: Self.moment(4))
        for case .publish(let message) in site.drainOutputs() where message.retain {
            let name = message.topic.name(under: .standard)
            for index in posts.indices {
                posts[index].pipeline.receive(
                    topic: name, payload: message.payload, isRetained: true, at: Self.moment(0))
            }
        }
    }

    private static func moment(_ seconds: Double) -> Moment {
        Moment(
            instant: .zero + .seconds(1000 + seconds), wall: WallTime("2026-11-21T05:40:00Z")! + .seconds(seconds),
            isSynchronised: true)
    }

    /// How many messages there were, and in how much time.
    var total: Int { messages.values.reduce(0, +) }

    /// Lets time pass, in steps of a tenth of a second.
    mutating func advance(by seconds: Double) {
        for _ in 0..<Int(seconds * 10) {
            now += 0.1
            for index in posts.indices { step(index) }
            site.advance(to: Self.moment(now))
            for output in site.drainOutputs() {
                if case .publish(let message) = output { count(message.topic.name(under: .standard)) }
            }
            for event in site.events.withdraw() { count(event.topic) }
        }
    }

    /// One gateway receives what was sent meanwhile; the aggregator receives its messages at once, events first.
    private mutating func step(_ index: Int) {
        let start = Self.moment(0).instant
        var received: [(Advertisement, [UInt8])] = []
        var decoder = posts[index].decoder
        posts[index].receiver.advance(to: Self.opening + .seconds(now)) { packet, time in
            decoder.decode(packet, at: start + (time - Self.opening)) { advertisement, data in
                received.append((advertisement, data.withUnsafeBytes { Array($0) }))
            }
        }
        posts[index].decoder = decoder
        for (advertisement, data) in received { posts[index].pipeline.receive(advertisement, data.span.bytes) }
        posts[index].pipeline.advance(to: Self.moment(now))
        var reported = posts[index].pipeline.events.withdraw().map { (topic: $0.topic, payload: $0.payload) }
        for output in posts[index].pipeline.drainOutputs() {
            switch output {
            case .publish(let message): reported.append((message.topic.name(under: .standard), message.payload))
            case .perform(.measure): count("telemetry")
            default: break
            }
        }
        for message in reported {
            count(message.topic)
            site.receive(topic: message.topic, payload: message.payload, isRetained: false, at: Self.moment(now))
        }
    }

    private mutating func count(_ topic: String) {
        let levels = topic.split(separator: "/")
        messages["\(levels.dropFirst().first ?? "")/\(levels.last ?? "")", default: 0] += 1
    }
}

extension House.Transmitter.Motion {
    fileprivate var isCarried: Bool {
        if case .carried = self { true } else { false }
    }
}
