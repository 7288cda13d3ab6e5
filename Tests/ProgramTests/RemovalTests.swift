import Beacons
import Glibc
import Linux
import TestBroker
import Testing

/// `gateways remove`, which also revokes the gateway's password. Tests/install/run has it restart mosquitto.
@Suite(
    .enabled(if: TestBroker.isInstalled && isProgramInstalled("openssl"), "skipped: no mosquitto or no openssl here"))
struct RemovalTests {
    private let broker: LockedBroker
    private let aggregator: RunningProgram

    init() throws {
        broker = try LockedBroker()
        let file = try broker.folder.write(
            "state_directory = \"aggregator\"\n[mqtt]\n" + Site.noPage, to: "aggregator.toml")
        #expect(try broker.setUp([]).status == 0)
        aggregator = try Program.aggregator.start("run", "--config", file)
    }

    private func ask(_ words: String...) throws -> Ended {
        try RunningProgram([Program.aggregator.path] + words + ["--config", broker.folder.path("aggregator.toml")])
            .ended()
    }

    private func remove(_ gateway: String, folder: String? = nil) throws -> Ended {
        try ask("gateways", "remove", gateway, "--folder", folder ?? broker.folder.path)
    }

    /// Starts the gateway, and waits until the aggregator knows it.
    private func start(_ id: String, password: String) throws -> RunningProgram {
        let file = try broker.folder.write(
            "id = \"\(id)\"\nstate_directory = \"\(id)\"\n[mqtt]\nport = \(broker.gatewayPort)\nusername = \"\(id)\"\n"
                + "password_file = \"\(password)\"\n[radio]\nsource = \"simulation\"\n", to: "\(id).toml")
        let gateway = try Program.gateway.start("run", "--config", file)
        try wait(for: "the gateway") { try ask("gateways", "list").outputLines.contains { $0.contains("working") } }
        return gateway
    }

    @Test func `a gateway that was removed is shut out, and so is the next one of its name`() throws {
        var passwords: Set<String> = []
        for _ in 1...2 {
            #expect(try broker.setUp(["--gateway", "Attic"]).status == 0)
            try broker.start()
            let password = try broker.text("secrets/attic.password")
            passwords.insert(password)
            try broker.folder.write(password, to: "attic.password")
            let gateway = try start("attic", password: "attic.password")
            // Right after its start, the aggregator does not know yet.
            try wait(for: "a gateway that is alive") {
                let end = try remove("attic", folder: "/nothing")
                return end.errors.contains("attic is alive")
                    && end.errors.contains("or run `sudo forgetmenot gateways remove attic` on the broker's machine")
            }
            // Here nobody but the test restarts mosquitto.
            let early = try remove("attic")
            #expect(early.status == 1 && early.errors.contains("attic is alive"), "\(early)")
            #expect(early.outputLines == ["Restart mosquitto, so that it no longer lets in attic."])
            try broker.start()
            try gateway.complaint(of: "rejects user attic")
            try wait(for: "the removal") { try remove("attic").status == 0 }
            #expect(try !ask("gateways", "list").output.contains("attic"))
            var options = broker.asGateway("attic")
            options.passwordFile = broker.folder.path("attic.password")
            #expect(try !Visitor(options).isIn)
            let again = try remove("attic")
            #expect(again.status == 66 && again.errors.contains("there is no gateway \"attic\""), "\(again)")
        }
        #expect(passwords.count == 2)
    }

    @Test func `remove revokes the password of a gateway that never came, and of no user and no other gateway`() throws
    {
        try wait(for: "the aggregator") { try ask("gateways", "list").status == 0 }
        for name in ["anna", "forgetmenot", "Kitchen", "nobody"] {
            let end = try remove(name)
            #expect(end.status == 66 && end.output.isEmpty, "\(end)")
        }
        try broker.start()
        try wait(for: "the aggregator") { try ask("gateways", "list").status == 0 }
        #expect(try Visitor(broker.asUser("anna")).isIn && Visitor(broker.asGateway("kitchen")).isIn)
        for gateway in ["kitchen", "hall"] {
            let end = try remove(gateway)
            #expect(end.status == 0 && end.outputLines.last == "\(gateway) is removed", "\(end)")
        }
        #expect(try broker.text("gateways.passwords").isEmpty)
        #expect(try broker.text("users.passwords").contains("anna:"))
    }

    @Test func `a removal at another broker revokes no password here, each time`() throws {
        let other = try broker.folder.write("[mqtt]\nport = 1\n", to: "other.toml")
        let passwords = try broker.text("gateways.passwords")
        for _ in 1...2 {
            let end = try RunningProgram(
                [
                    Program.aggregator.path, "gateways", "remove", "kitchen", "--folder", broker.folder.path,
                    "--config", other,
                ]
            ).ended()
            #expect(end.status == 69 && end.output.isEmpty, "\(end)")
        }
        #expect(try passwords.contains("kitchen:") && broker.text("gateways.passwords") == passwords)
    }

    @Test func `where the broker's files are elsewhere, remove prints the line for the broker's machine`() throws {
        for _ in 1...2 {
            let gateway = try start("kitchen", password: "secrets/kitchen.password")
            #expect(try gateway.ended(by: SIGTERM).status == 0)
            var end: Ended!
            try wait(for: "the removal") {
                end = try remove("kitchen", folder: "/nothing")
                return end.status == 0
            }
            #expect(
                end.outputLines == [
                    "kitchen is removed",
                    "If the broker has a password for it, run `sudo forgetmenot gateways remove kitchen` on the broker's machine: "
                        + "until then the password goes on working.",
                ])
        }
        #expect(try broker.text("gateways.passwords").contains("kitchen:"))
        #expect(try remove("kitchen").outputLines.last == "kitchen is removed")
        #expect(try !broker.text("gateways.passwords").contains("kitchen:"))
    }
}
