import Glibc
import Linux
import Mosquitto
import TestBroker
import Testing

/// `forgetmenot broker-setup`: what it writes works, and stays.
@Suite(
    .enabled(if: TestBroker.isInstalled && isProgramInstalled("openssl"), "skipped: no mosquitto or no openssl here"))
struct BrokerSetupTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    private func setUp(_ words: String...) throws -> Ended {
        try RunningProgram(
            [Program.aggregator.path, "broker-setup", "--folder", folder.path("broker")]
                + ["--config", folder.path("aggregator.toml")] + words
        ).ended()
    }

    @Test(arguments: [[], ["--certificates"]])
    func `a second run changes nothing, and a gateway added later changes nobody else`(mode: [String]) throws {
        func setUp(_ words: String...) throws -> Ended {
            try RunningProgram(
                [Program.aggregator.path, "broker-setup", "--folder", folder.path("broker")]
                    + ["--config", folder.path("absent.toml")] + mode + words
            ).ended()
        }
        let first = try setUp("--gateway", "Küche", "--user", "anna")
        #expect(first.status == 0 && first.errors.isEmpty, "\(first)")
        #expect(first.output.contains("setup --id kuche --room 'Küche' --host localhost"), "\(first.output)")
        let before = try folder.brokerFiles()
        let second = try setUp()
        #expect(second.status == 0 && second.output.contains("Nothing needs to change."), "\(second)")
        #expect(try folder.brokerFiles() == before)
        // What it printed to be pasted, it prints again.
        #expect(
            second.output.split(separator: "\n").last { $0.contains("kuche") }
                == first.outputLines.last { $0.contains("kuche") })

        let third = try setUp("--gateway", "hall")
        #expect(third.status == 0 && third.output.contains("hall has a"), "\(third)")
        #expect(!third.output.contains("--id kuche"), "only the new one is to be set up")
        let after = try folder.brokerFiles()
        for (name, contents) in before where !name.contains("gateways.passwords") && !name.contains("setup.toml") {
            #expect(after[name] == contents, "\(name) was changed")
        }
    }

    @Test func `of two gateways in a room, its name stands for the one whose id is made from it`() throws {
        _ = try setUp("--gateway", "hall")
        _ = try setUp("--gateway", "Kitchen")
        let path = "broker/setup.toml"
        let written = try String(decoding: readFile(at: folder.path(path)), as: UTF8.self)
        try folder.write(written.replacing("id = \"hall\"", with: "id = \"hall\"\nroom = \"Kitchen\""), to: path)
        for _ in 1...2 {
            let end = try setUp("--gateway", "Kitchen")
            #expect(end.output.contains("--id kitchen") && !end.output.contains("--id hall"), "\(end)")
        }
    }

    @Test func `a gateway whose id was made otherwise by an earlier release keeps that id`() throws {
        _ = try setUp("--gateway", "ku-che")
        let path = "broker/setup.toml"
        let written = try String(decoding: readFile(at: folder.path(path)), as: UTF8.self)
        try folder.write(written.replacing("id = \"ku-che\"", with: "id = \"ku-che\"\nroom = \"Küche\""), to: path)
        let end = try setUp("--gateway", "Küche")
        #expect(end.status == 0 && end.output.contains("setup --id ku-che --room 'Küche'"), "\(end)")
        #expect(!end.output.contains("--id kuche"), "\(end)")
    }

    @Test(arguments: ["客厅", "Кухня"])
    func `a room whose name has no Latin letter gets a gateway, with an id that stays`(room: String) throws {
        for _ in 1...2 {
            let end = try setUp("--gateway", room, "--gateway", "hall")
            #expect(end.status == 0 && end.output.contains(" --room '\(room)' "), "\(end)")
            let written = try String(decoding: readFile(at: folder.path("broker/setup.toml")), as: UTF8.self)
            #expect(written.split(separator: "id = \"gateway-").count == 2, "\(written)")
        }
        let removed = try setUp("--remove", room)
        #expect(removed.status == 0 && removed.output.contains("gateway-"), "\(removed)")
    }

    @Test func `the prefixes of Home Assistant's topics are those of the aggregator's configuration, each time`() throws
    {
        func rights() throws -> [Substring] {
            try ["users.acl", "gateways.acl"].flatMap {
                try String(decoding: readFile(at: folder.path("broker/\($0)")), as: UTF8.self).split(separator: "\n")
            }
        }
        let other = "[home_assistant]\nprefix = \"ha/discovery\"\nmqtt_room = true\nmqtt_room_prefix = \"rooms\"\n"
        for _ in 1...2 {
            try folder.write(other, to: "aggregator.toml")
            #expect(try setUp("--user", "anna").status == 0)
            // What another command of setup writes has the same rights.
            for config in ["aggregator.toml", "absent.toml"] {
                #expect(try setUp("--gateway", "hall", "--config", folder.path(config)).status == 0)
                let rights = try rights()
                #expect(!rights.contains { $0.contains("homeassistant") }, "\(rights)")
                for right in [
                    "topic readwrite ha/discovery/#", "topic readwrite rooms/#", "topic read ha/discovery/#",
                    "topic read rooms/#", "topic write ha/discovery/status", "pattern read ha/discovery/status",
                    "pattern write ha/discovery/device/forgetmenot-%u/config",
                ] { #expect(rights.contains(right[...]), "\(right)") }
            }
            try folder.write("", to: "aggregator.toml")
            #expect(try setUp().status == 0)
            let rights = try rights()
            #expect(rights.contains("topic readwrite homeassistant/#"))
            #expect(!rights.contains { $0.contains("rooms/#") || $0.contains("ha/discovery") }, "\(rights)")
        }
    }

    @Test func `broker-setup stores an edited file beside the new one, and reports it`() throws {
        _ = try setUp("--gateway", "kitchen")
        let path = "broker/users.acl"
        let written = try String(decoding: readFile(at: folder.path(path)), as: UTF8.self)
        try folder.write(written + "\nuser zigbee\ntopic readwrite zigbee2mqtt/#\n", to: path)
        let end = try setUp()
        #expect(end.status == 0 && end.output.contains("users.acl.old"), "\(end)")
        #expect(try String(decoding: readFile(at: folder.path(path)), as: UTF8.self) == written)
        #expect(try String(decoding: readFile(at: folder.path(path + ".old")), as: UTF8.self).contains("zigbee2mqtt"))
    }

    @Test(arguments: [
        ["--user", "+"], ["--user", "a/b"], ["--gateway", "+"], ["--gateway", "forgetmenot"], ["--prefix", "a/#"],
        ["--prefix", "%u"], ["--port", "0"], ["--port", "5", "--gateway-port", "5"], ["--host", "two words"],
        ["--gateway", "anna", "--user", "anna"], ["--gateway", "Hall\nroot"],
        // What would be a line of its own in mosquitto's file, or a variable in openssl's.
        ["--bind", "127.0.0.1\nallow_anonymous true"], ["--bind", ""], ["--bind", "a b"], ["--host", "$ENV::HOME"],
        ["--host", "a\nb"], ["--host", "${ENV::HOME}"], ["--host", ""], ["--host", "a;b"], ["--prefix", "a\nb"],
        ["--user", "a\nb"], ["--gateway", "\n"],
    ])
    func `a name that would be everybody's, two at once, or more than a name is refused`(words: [String]) throws {
        let end = try RunningProgram(
            [Program.aggregator.path, "broker-setup", "--folder", folder.path("broker")] + words
        ).ended()
        #expect(end.status == 64 && end.output.isEmpty && end.errorLines.count == 1, "\(end)")
        #expect(access(folder.path("broker"), F_OK) != 0, "nothing is made where something is refused")
    }

    @Test func `a folder that is there keeps its rights, and a new one lets the broker pass`() throws {
        func rights(_ name: String) -> mode_t {
            var status = stat()
            return stat(folder.path(name), &status) == 0 ? status.st_mode & 0o777 : 0
        }
        try StateFolder(path: folder.path("broker")).make(mode: 0o700)
        #expect(try setUp("--gateway", "kitchen").status == 0)
        #expect(rights("broker") == 0o700 && rights("broker/secrets") == 0o700)
        let end = try RunningProgram([
            "sh", "-c",
            "umask 077; '\(Program.aggregator.path)' broker-setup --folder '\(folder.path("new"))' --config '\(folder.path("absent"))'",
        ]).ended()
        #expect(end.status == 0, "\(end)")
        #expect(rights("new") == 0o755 && rights("new/secrets") == 0o700 && rights("new/authorities") == 0o700)
    }

    @Test func `a folder whose path would be more than one line is refused`() throws {
        let end = try RunningProgram(
            [Program.aggregator.path, "broker-setup", "--folder", folder.path("a\nb")]
        ).ended()
        #expect(end.status == 64 && end.errorLines.count == 1, "\(end)")
        #expect(try StateFolder(path: folder.path).entries().isEmpty)
    }

    @Test(arguments: [[], ["--certificates"]])
    func `no line that is printed holds a secret`(mode: [String]) throws {
        let words = ["--gateway", "kitchen", "--user", "anna"] + mode
        let end = try RunningProgram(
            [Program.aggregator.path, "broker-setup", "--folder", folder.path("broker")]
                + ["--config", folder.path("absent.toml")] + words
        ).ended()
        #expect(end.status == 0, "\(end)")
        for (name, bytes) in try folder.brokerFiles() where name.hasSuffix(".password") || name.hasSuffix(".key") {
            let line = try #require(
                String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst(mode.count).first)
            #expect(!end.output.contains(line), "\(name)")
        }
    }

    @Test func `a registry of 5,000 entries reaches a gateway that connects, and would not but for its lines`() throws {
        #expect(try entriesReceived(at: LockedBroker()) == 5000)
        let tight = try LockedBroker([
            .init(line: "max_queued_messages"), .init(line: "max_queued_bytes"),
        ])
        #expect(try entriesReceived(at: tight) < 5000)
    }

    @Test func `a gateway that publishes where it may not goes on`() throws {
        let broker = try LockedBroker()
        let gateway = try Visitor(broker.asGateway("kitchen"))
        for _ in 1...3 { #expect(try !gateway.publish("forgetmenot/gateways/hall/availability")) }
        #expect(try gateway.publish("forgetmenot/gateways/kitchen/availability"))
    }

    @Test func `a gateway tests with each connection whether the broker delivers, as the rules of the broker let it`()
        throws
    {
        let broker = try LockedBroker()
        let file = try broker.folder.write(
            "id = \"kitchen\"\nstate_directory = \"kitchen\"\n[mqtt]\nport = \(broker.gatewayPort)\nusername = \"kitchen\"\n"
                + "password_file = \"secrets/kitchen.password\"\n[log]\nlevel = \"debug\"\n[radio]\nsource = \"simulation\"\n",
            to: "kitchen.toml")
        let echo = "forgetmenot/gateways/kitchen/request/echo"
        var anna = try Observer(broker.asUser("anna"), filters: [echo])
        let gateway = try Program.gateway.start("run", "--config", file)
        try anna.wait(forAllOf: [echo])
        try broker.start()
        anna = try Observer(broker.asUser("anna"), filters: [echo])
        try anna.wait(forAllOf: [echo])
        let end = try gateway.ended(by: SIGTERM)
        #expect(end.status == 0 && !end.errors.contains("request/echo"), "nobody responds: \(end)")
    }

    /// How many of 5,000 retained entries come to a gateway that subscribes.
    private func entriesReceived(at broker: LockedBroker) throws -> Int {
        let aggregator = try Observer(broker.asUser("forgetmenot"))
        let entry = String(repeating: "x", count: 400)
        for start in stride(from: 0, to: 5000, by: 500) {
            try aggregator.publish((start..<start + 500).map { ("forgetmenot/registry/items/i\($0)", entry, true) })
        }
        let gateway = try Visitor(broker.asGateway("kitchen"), reading: ["forgetmenot/registry/#"], qos: .atLeastOnce)
        // The last message shows that no other is on its way. The broker may drop that message itself; then it is published again.
        let last = "forgetmenot/registry/regions/last"
        while gateway.received(last).isEmpty {
            try aggregator.publish([(last, "{}", false)])
            try gateway.receiveMore()
        }
        return Set(
            gateway.notices.compactMap { notice in
                if case .message(let message) = notice, message.topic != last { message.topic } else { nil }
            }
        ).count
    }

    @Test func `keys and passwords are their owner's alone`() throws {
        let end = try setUp("--gateway", "kitchen", "--certificates")
        #expect(end.status == 0, "\(end)")
        let names = ["", "/secrets", "/authorities"].flatMap { part in
            ((try? StateFolder(path: folder.path("broker" + part)).entries()) ?? []).map { part + "/" + $0 }
        }
        #expect(names.contains("/authorities/ca.key") && names.contains("/secrets/kitchen.key"))
        for name in names where name.hasSuffix(".key") || name.hasSuffix("passwords") || name.hasSuffix(".password") {
            var status = stat()
            #expect(stat(folder.path("broker" + name), &status) == 0 && status.st_mode & 0o077 == 0, "\(name)")
        }
    }

    @Test func `a broker with another name gets a new certificate with that name, and nobody else does`() throws {
        #expect(try setUp("--gateway", "kitchen", "--certificates").status == 0)
        let before = try folder.brokerFiles()
        let end = try setUp("--host", "broker.lan")
        #expect(end.status == 0 && end.output.contains("a certificate for broker.lan"), "\(end)")
        let after = try folder.brokerFiles()
        #expect(after["/server.crt"] != before["/server.crt"] && after["/server.crt.old"] == before["/server.crt"])
        for name in before.keys where !name.hasPrefix("/se") { #expect(after[name] == before[name], "\(name)") }
        #expect(after["/secrets/kitchen.key"] == before["/secrets/kitchen.key"])
    }

    @Test func `a broker that got another name without TLS has a certificate with that name, with TLS again`() throws {
        #expect(try setUp("--host", "old.lan", "--tls").status == 0)
        for (host, other) in [("new.lan", "old.lan"), ("newer.lan", "new.lan")] {
            #expect(try setUp("--no-tls").status == 0)
            #expect(try setUp("--host", host).status == 0)
            #expect(try setUp("--tls").status == 0)
            let end = try RunningProgram(
                ["openssl", "x509", "-in", folder.path("broker/server.crt"), "-noout", "-ext", "subjectAltName"]
            ).ended()
            #expect(end.output.contains("DNS:\(host)") && !end.output.contains("DNS:\(other)"), "\(end)")
        }
    }

    @Test func `the ports of TLS are given with --tls, and stay`() throws {
        let first = try setUp("--tls", "--tls-port", "18883", "--tls-gateway-port", "18884", "--host", "hub.lan")
        #expect(first.status == 0, "\(first)")
        for _ in 1...2 {
            let end = try setUp("--gateway", "kitchen")
            #expect(end.output.contains("--host hub.lan --port 18884"), "\(end)")
        }
        let text = String(decoding: try readFile(at: folder.path("broker/mosquitto.conf")), as: UTF8.self)
        #expect(text.contains("listener 18883\n") && text.contains("listener 18884\n"), "\(text)")
        #expect(try setUp("--tls-port", "8883").status == 0)
        #expect(
            try setUp("--tls-gateway-port", "8883").errorLines == [
                "forgetmenot: two listeners have port 8883: choose other ports with --port, --gateway-port, --tls-port and --tls-gateway-port"
            ])
        #expect(try setUp("--no-tls").status == 0)
        #expect(
            try setUp("--tls-port", "18883").errorLines == [
                "forgetmenot: this site has no ports for TLS: add --tls, or leave out --tls-port and --tls-gateway-port"
            ])
    }

    @Test func `a site with certificates has its ports for TLS by --port and --gateway-port`() throws {
        #expect(try setUp("--certificates", "--port", "18883", "--gateway-port", "18884").status == 0)
        let before = try folder.brokerFiles()
        for option in ["--tls-port", "--tls-gateway-port"] {
            #expect(
                try setUp(option, "28883").errorLines == [
                    "forgetmenot: all connections of a site with certificates use TLS: choose its ports with --port and --gateway-port"
                ])
        }
        #expect(try folder.brokerFiles() == before)
        let text = String(decoding: try readFile(at: folder.path("broker/mosquitto.conf")), as: UTF8.self)
        #expect(text.contains("listener 18883\n") && text.contains("listener 18884\n"), "\(text)")
    }

    @Test func `removing a room with several gateways removes none, and names their ids`() throws {
        for id in ["kitchen", "kitchen-2", "pantry"] { #expect(try setUp("--gateway", id).status == 0) }
        let path = "broker/setup.toml"
        let written = try String(decoding: readFile(at: folder.path(path)), as: UTF8.self)
        try folder.write(
            written.replacing("id = \"kitchen\"", with: "id = \"kitchen\"\nroom = \"Kitchen\"")
                .replacing("id = \"kitchen-2\"", with: "id = \"kitchen-2\"\nroom = \"Kitchen\""), to: path)
        for _ in 1...2 {
            let end = try setUp("--remove", "Kitchen")
            #expect(end.status == 64, "\(end)")
            #expect(
                end.errorLines == [
                    "forgetmenot: room \"Kitchen\" has several gateways: remove one by its id, kitchen or kitchen-2"
                ])
        }
        #expect(try setUp("--remove", "kitchen-2").output.contains("kitchen-2 is no longer let in"))
        #expect(try setUp("--remove", "Kitchen").output.contains("kitchen is no longer let in"))
        #expect(try setUp("--remove", "Kitchen").status == 66)
    }

    @Test func `a removed user is refused by the broker`() throws {
        let broker = try LockedBroker()
        #expect(try Visitor(broker.asGateway("hall")).isIn)
        let options = broker.asGateway("hall")
        let password = try broker.text("secrets/hall.password")
        let end = try broker.setUp(["--remove", "hall"])
        #expect(end.status == 0 && end.output.contains("hall is no longer let in"), "\(end)")
        try broker.folder.write(password, to: "secrets/hall.password")
        try broker.start()
        #expect(try !Visitor(options).isIn)
        #expect(try broker.setUp(["--remove", "hall"]).status == 66)
        // By the name that let it in, twice.
        for _ in 1...2 {
            #expect(try broker.setUp(["--gateway", "Wine cellar"]).status == 0)
            let end = try broker.setUp(["--remove", "Wine cellar"])
            #expect(end.status == 0 && end.output.contains("wine-cellar is no longer let in"), "\(end)")
        }
    }

    @Test func `with --tls, passwords cross the network only over TLS, with this broker's certificate`() throws {
        let broker = try LockedBroker(tls: true)
        // Another machine's view: this machine has the address 127.0.0.2 as well.
        #expect(try broker.setUp(["--bind", "127.0.0.2"]).status == 0)
        try broker.start()
        let other = try LockedBroker(tls: true)
        let ports = [(broker.port, broker.tlsPorts.0, "anna"), (broker.gatewayPort, broker.tlsPorts.1, "kitchen")]
        for (plain, secure, name) in ports {
            var options = broker.asUser(name)
            options.port = plain
            #expect(try Visitor(options).isIn, "\(name) on this machine")
            options.host = "127.0.0.2"
            #expect(try !Visitor(options).isIn, "\(name) without TLS")
            (options.port, options.caFile) = (secure, broker.folder.path("ca.crt"))
            #expect(try !Visitor(options).isIn, "\(name) by another name than the certificate's")
            options.verifiesHostname = false
            #expect(try Visitor(options).isIn, "\(name) with TLS")
            options.caFile = other.folder.path("ca.crt")
            #expect(try !Visitor(options).isIn, "\(name) at a broker with a foreign certificate")
            options.caFile = nil
            #expect(try !Visitor(options).isIn, "\(name) without TLS at the port of TLS")
        }
        #expect(try broker.setUp(["--no-tls"]).status == 0)
        #expect(try !broker.text("mosquitto.conf").contains("certfile"))
    }

    @Test func `the lines for other machines have the certificate of a broker with TLS, and let in`() throws {
        let broker = try LockedBroker(tls: true)
        let printed = try broker.setUp(["--host", "127.0.0.1", "--gateway", "Kitchen", "--user", "anna"])
        func run(_ part: String, _ more: String = "") throws -> Ended {
            let line = try #require(printed.outputLines.first { $0.contains(part) }, "\(printed)")
            let own = line.replacing("sudo ", with: "").replacing("forgetmenot-gateway", with: Program.gateway.path)
            return try RunningProgram(["sh", "-c", "HOME='\(folder.path)'; export HOME; \(own)\(more)"]).ended()
        }
        try broker.start()
        for _ in 1...2 {
            let end = try run("setup --id kitchen", " --source simulation --config \(folder.path("gateway.toml"))")
            #expect(end.errors.isEmpty && end.output.contains("over TLS, with a trusted certificate"), "\(end)")
            #expect(end.output.contains("passed  credentials"), "\(end)")
            #expect(try run("config/forgetmenot").status == 0)
            let list = try Program.aggregator.run(
                "doctor", "--config", folder.path(".config/forgetmenot/forgetmenot.toml"))
            #expect(list.output.contains("passed  credentials"), "\(list)")
        }
        #expect(!printed.output.contains("unencrypted"))
        #expect(try setUp("--user", "anna", "--certificates").status == 0)
        let end = try setUp("--tls")
        #expect(end.status == 64 && end.errorLines.count == 1 && end.errors.contains("leave out --tls"), "\(end)")
    }

    @Test func `a user's line writes nothing without a password, and both files with one`() throws {
        let printed = try setUp("--user", "anna").output
        let line = try #require(printed.split(separator: "\n").first { $0.contains("config/forgetmenot") })
        func run(sudo: String) throws -> Ended {
            let line = line.replacing("sudo ", with: sudo)
            return try RunningProgram(["sh", "-c", "HOME='\(folder.path)'; export HOME; \(line)"]).ended()
        }
        let home = folder.path(".config/forgetmenot")
        let file = home + "/forgetmenot.password"
        #expect(try run(sudo: "false ").status != 0 && access(home, F_OK) != 0)
        #expect(try run(sudo: "").status == 0)
        let password = try readFile(at: file)
        #expect(try password == readFile(at: folder.path("broker/secrets/anna.password")))
        #expect(try String(decoding: readFile(at: home + "/forgetmenot.toml"), as: UTF8.self).contains("= \"anna\"\n"))
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(try run(sudo: "false ").status != 0 && readFile(at: file) == password)
    }

    @Test(arguments: [false, true])
    func `a site goes on behind the lock as before it`(certificates: Bool) throws {
        let broker = try LockedBroker(certificates: certificates)
        let site = broker.folder
        // The aggregator's file is there: it is completed, and its other words stay.
        try site.write(
            "# Ours.\nstate_directory = \"aggregator\"\n[mqtt]\n#username = \"x\"\n" + Site.noPage
                + "[[item]]\nname = \"Violin\"\n"
                + Site.violin.toml,
            to: "aggregator.toml")
        let completed = try broker.setUp([])
        #expect(completed.output.contains("Completed [mqtt] in"), "\(completed)")
        let aggregator = try Program.aggregator.start("run", "--config", site.path("aggregator.toml"))
        let keys =
            certificates
            ? "ca_file = \"ca.crt\"\ncertificate_file = \"secrets/kitchen.crt\"\nkey_file = \"secrets/kitchen.key\"\n"
            : "username = \"kitchen\"\npassword_file = \"secrets/kitchen.password\"\n"
        let file = try site.write(
            "id = \"kitchen\"\nroom = \"Kitchen\"\nstate_directory = \"kitchen\"\n"
                + "[mqtt]\nport = \(broker.gatewayPort)\n\(keys)[radio]\nsource = \"simulation\"\n", to: "kitchen.toml")
        let gateway = try Program.gateway.start("run", "--config", file)
        let witness = try Visitor(
            broker.asUser("anna"),
            reading: ["forgetmenot/items/violin/location", "forgetmenot/gateways/kitchen/availability"])
        // The gateway has received the registry, and the aggregator what the gateway receives.
        while !witness.received("forgetmenot/items/violin/location").contains(where: { $0.text.contains("\"Kitchen\"") }
        ) {
            try witness.receiveMore()
        }
        let located = try Program.aggregator.run("where", "Violin", "--config", site.path("aggregator.toml"))
        #expect(located.status == 0 && located.output.contains("Kitchen"), "\(located)")

        #expect(try gateway.ended(by: SIGTERM).status == 0)
        while witness.received("forgetmenot/gateways/kitchen/availability").last?.text != "offline" {
            try witness.receiveMore()
        }
        #expect(try aggregator.ended(by: SIGTERM).status == 0)
    }

    @Test func `an event waits behind the lock for an aggregator that is away`() throws {
        let broker = try LockedBroker()
        let topic = "forgetmenot/beacons/u/1/2/kitchen/event"
        var options = broker.asUser("forgetmenot")
        options.sessionExpirySeconds = 3600
        _ = try Visitor(options, reading: ["forgetmenot/#"], qos: .atLeastOnce)
        #expect(try Visitor(broker.asGateway("kitchen")).publish(topic))
        try Visitor(options, reading: ["forgetmenot/#"], qos: .atLeastOnce).receive(topic)
    }
}

extension BrokerMessage {
    fileprivate var text: String { String(decoding: payload, as: UTF8.self) }
}
