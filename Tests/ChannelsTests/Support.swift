import Beacons

@testable import Channels

/// Messages to persons in virtual time: what is sent, and what the servers do with it.
struct Post {
    static let anna = ChannelSettings(
        person: "anna", kind: .ntfy(server: "https://ntfy.example", topicFile: "/etc/anna.topic", tokenFile: nil))
    static let annaAtHome = ChannelSettings(
        person: "anna",
        kind: .homeAssistant(server: "http://ha.local:8123", service: "mobile_app_anna", tokenFile: "/etc/ha.token"))
    static let annasProgram = ChannelSettings(person: "anna", kind: .command(["/usr/bin/tell", "anna"]))

    var messages: PersonalMessages
    var random = SplitMix64(seed: 1)
    var now = Moment(instant: .zero, wall: WallTime("2026-11-25T08:00:00Z")!, isSynchronised: true)

    init(_ channels: [ChannelSettings] = [anna], page: String? = nil) {
        messages = PersonalMessages(channels, page: page, tokenKey: Array(repeating: 7, count: 32))
    }

    static func message(
        _ key: String = "forgotten", text: String = "You left without your keys.", items: [String] = ["keys"],
        at: String = "2026-11-25T08:00:00Z"
    ) -> PersonalMessage {
        PersonalMessage(
            person: "anna", key: key, title: "Forgotten: keys", text: text, items: items, at: WallTime(at)!)
    }

    mutating func apply(_ change: PersonalMessage.Change) { messages.apply(change, at: now) }

    mutating func start() -> [Delivery] { messages.startDeliveries(at: now.instant) }

    mutating func finish(_ delivery: Delivery, _ outcome: DeliveryOutcome = .taken) {
        messages.finish(delivery.number, outcome, at: now.instant, using: &random)
    }

    mutating func wait(_ interval: Interval) {
        now.instant = now.instant + interval
        now.wall = now.wall + interval
    }

    /// Lets time pass in seconds, and returns what was sent; `outcome` returns what becomes of each delivery.
    mutating func run(for duration: Interval, _ outcome: (Delivery, Moment) -> DeliveryOutcome) -> [Delivery] {
        var sent: [Delivery] = []
        let end = now.instant + duration
        while now.instant < end {
            for delivery in start() {
                sent.append(delivery)
                finish(delivery, outcome(delivery, now))
            }
            wait(.seconds(1))
        }
        return sent
    }

    /// The same messages in a new process.
    mutating func restart(_ channels: [ChannelSettings]? = nil) {
        let stored = messages.stored
        messages = PersonalMessages(
            channels ?? messages.channels, page: nil, tokenKey: Array(repeating: 8, count: 32))
        now.instant = .zero + .seconds(5)
        messages.restore(stored, at: now)
    }
}

extension Delivery {
    /// What the user's own program would get, and curl.
    func program() -> DeliveryProgram {
        var random = SplitMix64(seed: 7)
        return program(
            path: { "/run/credentials/" + ($0.split(separator: "/").last ?? "") },
            secret: { (file) throws(Never) in
                file.hasSuffix("topic")
                    ? "Zk3s" : file.hasSuffix("push.key") ? Browser.siteKey : "a\"secret"
            }, at: WallTime("2026-11-25T09:00:00Z")!, using: &random)!
    }
}
