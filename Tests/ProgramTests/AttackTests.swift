import Glibc
import Mosquitto
import TestBroker
import Testing

/// What somebody tries who has a gateway's password, or none.
struct Attack: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var certificates = false
    /// The lock that stands against it, left open.
    var weaknesses: [LockedBroker.Weakness]
    /// Whether it succeeds.
    var succeeds: @Sendable (LockedBroker) throws -> Bool
}

/// The locks that `forgetmenot broker-setup` puts on a real mosquitto: each attack fails, and succeeds where its lock is left open.
@Suite(
    .enabled(if: TestBroker.isInstalled && isProgramInstalled("openssl"), "skipped: no mosquitto or no openssl here"))
struct AttackTests {
    @Test(arguments: attacks)
    func `an attack fails, and would not but for its lock`(attack: Attack) throws {
        let locked = try LockedBroker(certificates: attack.certificates)
        #expect(try !attack.succeeds(locked))
        let open = try LockedBroker(certificates: attack.certificates, attack.weaknesses)
        #expect(try attack.succeeds(open), "without its lock it fails as well, so that it proves nothing")
    }

    static let attacks: [Attack] = [
        writing(
            "another's beacons", "forgetmenot/beacons/u/1/2/hall/proximity", lock: "forgetmenot/beacons/+/+/+/%u/#"),
        writing("another's status", "forgetmenot/gateways/hall/availability", lock: "forgetmenot/gateways/%u/#"),
        writing("another's regions", "forgetmenot/regions/bags/hall/state", lock: "forgetmenot/regions/+/%u/#"),
        writing("as the aggregator", "forgetmenot/aggregator/availability"),
        writing("the registry", "forgetmenot/registry/manifest"),
        writing(
            "another's device", "homeassistant/device/forgetmenot-hall/config",
            lock: "homeassistant/device/forgetmenot-%u/config"),
        writing("somebody else's device", "homeassistant/light/lamp/config"),
        writing("a request to the aggregator", "forgetmenot/aggregator/request/items/remove"),
        writing("an item's acknowledgement", "forgetmenot/items/violin/request/acknowledge"),
        writing("an item's aliases", "forgetmenot/items/violin/aliases"),
        writing("a room's occupancy", "forgetmenot/rooms/kitchen/occupancy"),
        writing("a request to another gateway", "forgetmenot/gateways/hall/request/events"),
        writing("an item's location", "forgetmenot/items/violin/location"),
        writing("Home Assistant's birth message", "homeassistant/status"),
        writingAsUser("the registry", "forgetmenot/registry/manifest"),
        writingAsUser("an item's location", "forgetmenot/items/violin/location"),
        writingAsUser("an item's notification", "forgetmenot/items/violin/notification"),
        writingAsUser("as the aggregator", "forgetmenot/aggregator/availability"),
        writingAsUser("the aggregator's answers", "forgetmenot/aggregator/response/items/add"),
        writingAsUser("a gateway's status", "forgetmenot/gateways/hall/availability"),
        writingAsUser("a gateway's beacons", "forgetmenot/beacons/u/1/2/hall/event"),
        writingAsUser(
            "a device of Home Assistant's", "homeassistant/device/forgetmenot-violin/config", in: "homeassistant/#"),
        Attack(
            testDescription: "a gateway reads what another is asked",
            weaknesses: [widened("read", "forgetmenot/gateways/%u/request/#")]
        ) { broker in
            let own = "forgetmenot/gateways/kitchen/request/beacons"
            let others = "forgetmenot/gateways/hall/request/beacons"
            let thief = try Visitor(broker.asGateway("kitchen"), reading: ["forgetmenot/gateways/+/request/#"])
            let asker = try Visitor(broker.asUser("anna"))
            for topic in [others, own] { try asker.publish(topic) }
            try thief.receive(own)
            return !thief.received(others).isEmpty
        },
        takingOver("another gateway's session", client: "hall") { try Visitor($0.asGateway("hall")) },
        takingOver("the aggregator's session", client: "forgetmenot") { try Visitor($0.asUser("forgetmenot")) },
        Attack(
            testDescription: "a gateway comes in by the door where client ids are free",
            weaknesses: [.init(line: "password_file", instead: "password_file @/gateways.passwords", after: "listener")]
        ) { broker in
            var options = broker.asUser("kitchen")
            options.clientID = "hall"
            return try Visitor(options).isIn
        },
        Attack(
            testDescription: "a gateway's will speaks for another",
            weaknesses: [widened("write", "forgetmenot/gateways/%u/#")]
        ) { broker in
            let (forged, own) = ("forgetmenot/gateways/hall/availability", "forgetmenot/gateways/kitchen/telemetry")
            let witness = try Visitor(broker.asUser("forgetmenot"), reading: ["forgetmenot/#"])
            try witness.publish("forgetmenot/registry/manifest", retain: true)
            let password = try broker.text("secrets/kitchen.password").split(separator: "\n")[0]
            let dying = try RunningProgram([
                "mosquitto_sub", "-h", "127.0.0.1", "-p", "\(broker.gatewayPort)", "-u", "kitchen", "-P", "\(password)",
                "-t", "forgetmenot/registry/#", "--will-topic", forged, "--will-payload", "offline",
            ])
            // What is retained has arrived: the attacker is connected, and has subscribed.
            _ = try dying.line()
            _ = try dying.ended(by: SIGKILL)
            // The broker has dealt with its end when the same name is in again.
            try Visitor(broker.asGateway("kitchen")).publish(own)
            try witness.receive(own)
            return !witness.received(forged).isEmpty
        },
        Attack(
            testDescription: "a user named + is everybody",
            weaknesses: [.init(line: "acl_file")]
        ) { broker in
            try run(
                ["mosquitto_passwd", "-b", broker.folder.path("gateways.passwords"), "+", "rose"], in: broker.folder)
            try broker.start()
            try broker.folder.write("rose\n", to: "secrets/+.password")
            return try hasWritten("forgetmenot/gateways/hall/availability", as: "+", to: broker)
        },
        Attack(testDescription: "nobody in particular comes in", weaknesses: anonymous) { broker in
            try [broker.port, broker.gatewayPort].contains { port in
                try Visitor(BrokerOptions(host: "localhost", port: port, clientID: "hall")).isIn
            }
        },
        Attack(
            testDescription: "a wrong password opens",
            weaknesses: anonymous + [.init(line: "password_file")]
        ) { broker in
            var options = broker.asGateway("kitchen")
            options.passwordFile = try broker.folder.write("rose\n", to: "guessed")
            return try Visitor(options).isIn
        },
        Attack(
            testDescription: "no certificate opens", certificates: true,
            weaknesses: anonymous + [
                .init(line: "require_certificate"), .init(line: "use_identity_as_username"),
            ]
        ) { broker in
            var options = broker.asGateway("kitchen")
            (options.certificateFile, options.keyFile) = (nil, nil)
            return try Visitor(options).isIn
        },
        Attack(
            testDescription: "a certificate of another authority opens", certificates: true,
            weaknesses: [.init(line: "cafile", instead: "cafile @/users-ca.crt")]
        ) { broker in
            var options = broker.asUser("anna")
            options.port = broker.gatewayPort
            return try Visitor(options).isIn
        },
        Attack(
            testDescription: "a gateway's certificate opens the door where client ids are free", certificates: true,
            weaknesses: [.init(line: "cafile", instead: "cafile @/gateways-ca.crt", after: "listener")]
        ) { broker in
            try Visitor(broker.asUser("kitchen")).isIn
        },
        Attack(
            testDescription: "more is sent than anybody reads", weaknesses: [.init(line: "max_packet_size")]
        ) { broker in
            var options = broker.asGateway("kitchen")
            // With MQTT 5 our own library would keep to the broker's limit.
            options.version = .v311
            return try Visitor(options).publish(
                "forgetmenot/gateways/kitchen/info", [UInt8](repeating: 0x20, count: (1 << 20) + (64 << 10)))
        },
    ]

    /// Lets everybody in at both doors.
    private static let anonymous: [LockedBroker.Weakness] = [
        .init(line: "allow_anonymous false", instead: "allow_anonymous true"),
        .init(line: "use_username_as_clientid"),
    ]

    /// The ACL's line, without the name in it.
    private static func widened(_ verb: String, _ pattern: String) -> LockedBroker.Weakness {
        let wide = pattern.contains("-%u") ? "homeassistant/#" : pattern.split(separator: "%u").joined(separator: "+")
        return .init(file: "gateways.acl", line: "pattern \(verb) \(pattern)", instead: "pattern \(verb) \(wide)")
    }

    private static func writing(_ what: String, _ topic: String, lock: String? = nil) -> Attack {
        let weakness = lock.map { widened("write", $0) } ?? .init(line: "acl_file")
        return Attack(testDescription: "a gateway writes \(what)", weaknesses: [weakness]) { broker in
            try hasWritten(topic, as: "kitchen", to: broker)
        }
    }

    private static func writingAsUser(
        _ what: String, _ topic: String, in tree: String = "forgetmenot/#"
    ) -> Attack {
        let weakness = LockedBroker.Weakness(
            file: "users.acl", line: "topic read \(tree)", instead: "topic readwrite \(tree)")
        return Attack(testDescription: "a user writes \(what)", weaknesses: [weakness]) { broker in
            try hasWritten(topic, as: broker.asUser("anna"), to: broker)
        }
    }

    /// Whether anybody receives what a gateway publishes under `topic`.
    private static func hasWritten(_ topic: String, as name: String, to broker: LockedBroker) throws -> Bool {
        try hasWritten(topic, as: broker.asGateway(name), to: broker)
    }

    private static func hasWritten(_ topic: String, as options: BrokerOptions, to broker: LockedBroker) throws -> Bool {
        let last = "forgetmenot/aggregator/info"
        let witness = try Visitor(broker.asUser("forgetmenot"), reading: ["forgetmenot/#", "homeassistant/#"])
        let writer = try Visitor(options)
        guard writer.isIn else { return false }
        try writer.publish(topic)
        // The broker has handled it by now: the last message that the witness received was sent later.
        try witness.publish(last)
        try witness.receive(last)
        return !witness.received(topic).isEmpty
    }

    private static func takingOver(
        _ what: String, client: String, _ victim: @escaping @Sendable (LockedBroker) throws -> Visitor
    ) -> Attack {
        Attack(
            testDescription: "a gateway takes over \(what)", weaknesses: [.init(line: "use_username_as_clientid")]
        ) { broker in
            let victim = try victim(broker)
            var options = broker.asGateway("kitchen")
            options.clientID = client
            let thief = try Visitor(options)
            guard thief.isIn else { return false }
            // Who was thrown out learns of it before its word is taken.
            return try !victim.publish("forgetmenot/gateways/hall/telemetry")
        }
    }
}
