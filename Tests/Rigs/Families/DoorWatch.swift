/// Would a question come while its owner still stands at the door, and how often in vain? Each rule asks on its own, and nobody is asked.
///
/// A question is right if the person is outside within two minutes and the item stays behind. Of the same stay at the door, an item is asked
/// about once.
struct DoorWatch {
    /// When a question comes.
    struct Rule: Sendable {
        let name: String
        /// How strongly the door's gateway receives the owner's phone at least, in dBm, and for how many seconds.
        let rssi: Double
        let seconds: Double
        /// Whether the keys must be received as strongly, and whether they must have been in another room within the last three minutes.
        var asksKeys = false
        var asksMovedKeys = false
    }

    /// What became of a rule's questions.
    struct Count: Sendable {
        /// The seconds before the departure, for each question that was right.
        var leads: [Double] = []
        /// Questions before a departure for which the item was fetched in the end, or to somebody who did not depart.
        var inVain = (fetched: 0, stayed: 0)
        /// How many items stayed behind.
        var forgotten = 0
    }

    /// What is known of a tag.
    struct Received {
        /// At the gateway of the door, as published last.
        var rssi = -127.0
        var room: String?
        /// When it was last in another room than the hall.
        var elsewhereAt = -Double.infinity
    }

    static let rules = [
        Rule(name: "phone at -70 dBm for 3 s", rssi: -70, seconds: 3),
        Rule(name: "phone at -66 dBm for 5 s", rssi: -66, seconds: 5),
        Rule(name: "phone at -66 dBm for 20 s", rssi: -66, seconds: 20),
        Rule(name: "and the keys", rssi: -66, seconds: 5, asksKeys: true),
        Rule(name: "and keys that came there", rssi: -66, seconds: 5, asksKeys: true, asksMovedKeys: true),
        Rule(name: "the same for 20 s", rssi: -66, seconds: 20, asksKeys: true, asksMovedKeys: true),
    ]
    private static let longest = 120.0
    /// A stay at the door has ended after so many seconds elsewhere.
    private static let pause = 30.0

    private struct Stay {
        var began: Double?
        var last = -Double.infinity
        var asked: [(tag: Int, at: Double)] = []
    }

    var tags = [Received](repeating: Received(), count: 9)
    private(set) var counts = rules.map { _ in Count() }
    /// By rule, then by person.
    private var stays = rules.map { _ in [Stay](repeating: Stay(), count: 3) }

    /// Notes the room of a tag.
    mutating func located(_ tag: Int, in room: String?) { tags[tag].room = room }

    /// One second.
    ///
    /// - Parameters:
    ///   - home: who is at home.
    ///   - owners: the owners of each of the tags that must not stay behind, from the seventh on.
    mutating func advance(to now: Double, home: [Bool], owners: [[Int]]) {
        for tag in tags.indices where tags[tag].room != nil && tags[tag].room != "Hall" { tags[tag].elsewhereAt = now }
        for (number, rule) in Self.rules.enumerated() {
            for person in home.indices where home[person] { look(number, rule, at: person, now) }
            let isAtDoor = home.indices.map { person in
                home[person] && stays[number][person].began.map { now - $0 >= rule.seconds } ?? false
            }
            for (index, owners) in owners.enumerated() {
                let tag = 6 + index
                // Somebody who stays is there for the item.
                guard let person = owners.first(where: { isAtDoor[$0] }), let room = tags[tag].room, room != "Hall",
                    owners.allSatisfy({ !home[$0] || isAtDoor[$0] }),
                    !stays[number][person].asked.contains(where: { $0.tag == tag })
                else { continue }
                stays[number][person].asked.append((tag, now))
            }
        }
    }

    private mutating func look(_ number: Int, _ rule: Rule, at person: Int, _ now: Double) {
        let (keys, phone) = (tags[2 * person], tags[2 * person + 1])
        let isAtDoor =
            phone.rssi >= rule.rssi && (!rule.asksKeys || keys.rssi >= rule.rssi)
            && (!rule.asksMovedKeys || now - keys.elsewhereAt < 180)
        if isAtDoor {
            if stays[number][person].began == nil { stays[number][person].began = now }
            stays[number][person].last = now
        } else if now - stays[number][person].last >= Self.pause {
            end(number, person, with: [], at: nil)
        }
    }

    /// Somebody departs, and these tags stay behind.
    mutating func departed(_ person: Int, without forgotten: [Int], at now: Double) {
        for number in Self.rules.indices {
            counts[number].forgotten += forgotten.count
            end(number, person, with: forgotten, at: now)
        }
    }

    private mutating func end(_ number: Int, _ person: Int, with forgotten: [Int], at departure: Double?) {
        for (tag, at) in stays[number][person].asked {
            if let departure, departure - at <= Self.longest, forgotten.contains(tag) {
                counts[number].leads.append(departure - at)
            } else if departure != nil {
                counts[number].inVain.fetched += 1
            } else {
                counts[number].inVain.stayed += 1
            }
        }
        stays[number][person] = Stay()
    }
}
