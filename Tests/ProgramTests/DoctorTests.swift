import Beacons
import Glibc
import Linux
import Messages
import TestBroker
import Testing

/// What `doctor` says where there is no adapter: that is proven in the virtual machine.
@Suite(.enabled(if: TestBroker.isInstalled, "skipped: no mosquitto here"))
struct DoctorTests {
    /// What was found of each thing, in order; `ok` is `nil` where it is open.
    private func examine(
        _ file: String, by program: Program = .gateway
    ) throws -> [(subject: String, ok: Bool?, text: String)] {
        let end = try program.run("doctor", "--json", "--config", file)
        let found = try #require(try JSONValue(parsing: Array(end.output.utf8)).array, "\(end)").map { element in
            let object = try #require(element.object)
            return (try #require(object["check"]?.string), object["ok"]?.bool, try #require(object["text"]?.string))
        }
        #expect(end.errors.isEmpty && end.status == (found.contains { $0.1 == false } ? 69 : 0), "\(end)")
        return found
    }

    @Test func `without an adapter its lines do not apply, and everything else is looked at`() throws {
        let site = try Site()
        let file = try site.gatewayFile("kitchen", room: "Kitchen", radio: "source = \"simulation\"")
        let found = try examine(file)
        #expect(
            found.map(\.subject) == [
                "configuration", "gateway", "adapter", "driver", "rfkill", "capabilities", "interface", "bluetoothd",
                "broker", "credentials", "clock", "state folder",
            ])
        for finding in found {
            switch finding.subject {
            case "clock": #expect(finding.ok != nil)
            case "configuration", "gateway", "broker", "credentials", "state folder":
                #expect(finding.ok == true, "\(finding)")
            default: #expect(finding.ok == nil && finding.text.contains("does not apply"), "\(finding)")
            }
        }
        let table = try Program.gateway.run("doctor", "--config", file)
        #expect(table.outputLines.count == found.count && !table.output.contains("\u{1B}"), "\(table)")

        site.broker.kill()
        let dead = try examine(file)
        #expect(dead.first { $0.subject == "broker" }?.ok == false)
        #expect(dead.contains { $0.subject == "credentials" && $0.ok == nil })
    }

    @Test func `a wrong password is the credentials' fault, and not the broker's`() throws {
        var options = TestBroker.Options()
        options.users = ["kitchen": "rose"]
        let site = try Site(options)
        _ = try site.folder.write("lily\n", to: "password")
        let file = try site.gatewayFile(
            "kitchen", room: "Kitchen", radio: "source = \"simulation\"",
            broker: "username = \"kitchen\"\npassword_file = \"password\"\n")
        for (password, isRight) in [("lily", false), ("rose", true)] {
            _ = try site.folder.write("\(password)\n", to: "password")
            let found = try examine(file)
            #expect(found.first { $0.subject == "broker" }?.ok == true)
            #expect(found.first { $0.subject == "credentials" }?.ok == isRight, "\(found)")
        }
    }

    @Test func `a running gateway is known by its state folder, and stays logged in`() throws {
        var options = TestBroker.Options()
        options.users = ["kitchen": "rose", "observer": "rose"]
        options.lines = ["use_username_as_clientid true"]
        let site = try Site(options)
        _ = try site.folder.write("rose\n", to: "password")
        let file = try site.gatewayFile(
            "kitchen", room: "Kitchen", radio: "source = \"simulation\"",
            broker: "username = \"kitchen\"\npassword_file = \"password\"\n")
        let gateway = try Program.gateway.start("run", "--config", file)
        try gateway.complaint(of: "Connected to the broker")

        let found = try examine(file)
        #expect(found.first { $0.subject == "gateway" }?.text.contains("runs as process") == true, "\(found)")
        #expect(found.first { $0.subject == "broker" }?.ok == true, "\(found)")
        let credentials = try #require(found.first { $0.subject == "credentials" })
        #expect(credentials.ok == nil && credentials.text.contains("not tried"))
        #expect(!site.broker.log.contains("already connected"))

        let second = try Program.gateway.run("run", "--config", file)
        #expect(second.status == 69 && second.output.isEmpty && second.errorLines.count == 1, "\(second)")
        #expect(second.errors.contains("state_directory"))
        #expect(try gateway.ended(by: SIGTERM).status == 0)
        #expect(try examine(file).first { $0.subject == "gateway" }?.text.contains("does not run") == true)
    }

    @Test func `the aggregator's doctor examines the whole site, and names what it cannot examine without a broker`()
        throws
    {
        let site = try Site()
        let aggregator = try site.startAggregator()
        try aggregator.complaint(of: "Connected to the broker")
        let gateway = try site.startGateway("kitchen", room: "Kitchen")
        try gateway.complaint(of: "Connected to the broker")
        let file = site.folder.path("aggregator.toml")
        let subjects = [
            "configuration", "broker", "credentials", "aggregator", "gateways", "gateway kitchen", "versions", "clock",
            "state folder",
        ]
        var found = try examine(file, by: .aggregator)
        // Connected, and its first heartbeat on its way.
        let deadline = Clock.now + .seconds(20)
        while found.contains(where: { $0.subject != "clock" && $0.ok == false }), Clock.now < deadline {
            found = try examine(file, by: .aggregator)
        }
        #expect(found.map(\.subject) == subjects)
        #expect(found.allSatisfy { $0.ok == true || $0.subject == "clock" }, "\(found)")

        site.broker.kill()
        let dead = try examine(file, by: .aggregator)
        #expect(dead.first { $0.subject == "broker" }?.ok == false)
        #expect(dead.filter { $0.ok == nil }.map(\.subject) == ["credentials", "aggregator", "gateways", "versions"])
    }

    @Test(
        .enabled(if: access("/etc/forgetmenot/aggregator.toml", F_OK) != 0, "skipped: an aggregator is installed here"))
    func `on a machine without an aggregator the user's own file names the broker, and no state folder is checked`()
        throws
    {
        let site = try Site()
        let aggregator = try site.startAggregator()
        try aggregator.complaint(of: "Connected to the broker")
        let file = site.folder.path(".config/forgetmenot/forgetmenot.toml")
        try run(["mkdir", "-p", site.folder.path(".config/forgetmenot")], in: site.folder)
        for port in [site.broker.port, 1] {
            _ = try site.folder.write(
                "[mqtt]\nhost = \"localhost\"\nport = \(port)\n", to: ".config/forgetmenot/forgetmenot.toml")
            let end = try RunningProgram([
                "env", "HOME=\(site.folder.path)", Program.aggregator.path, "doctor", "--json",
            ]).ended()
            let found = try #require(try JSONValue(parsing: Array(end.output.utf8)).array, "\(end)").compactMap(
                \.object)
            func finding(_ check: String) throws -> JSONObject {
                try #require(found.first { $0["check"]?.string == check }, "\(end)")
            }
            #expect(try finding("configuration")["text"]?.string == file)
            #expect(try finding("broker")["ok"]?.bool == (port != 1), "\(end)")
            #expect(try finding("state folder")["ok"] == nil)
            #expect(try finding("state folder")["text"]?.string?.contains("cannot be read") == true, "\(end)")
        }
    }

    @Test(
        .enabled(if: access("/etc/forgetmenot/aggregator.toml", F_OK) != 0, "skipped: an aggregator is installed here"))
    func `the aggregator's doctor without any configuration file reports that as a failed check, and what to do`()
        throws
    {
        let folder = try TestFolder()
        let end = try RunningProgram([
            "env", "HOME=\(folder.path)", Program.aggregator.path, "doctor", "--json",
        ]).ended()
        let found = try #require(try JSONValue(parsing: Array(end.output.utf8)).array, "\(end)").compactMap(\.object)
        #expect(end.status == 69 && end.errors.isEmpty)
        #expect(found.first?["check"]?.string == "configuration" && found.first?["ok"]?.bool == false)
        #expect(found.first?["text"]?.string?.contains("broker-setup") == true)
        #expect(found.dropFirst().filter { $0["ok"] == nil }.count == found.count - 2)
    }
}
