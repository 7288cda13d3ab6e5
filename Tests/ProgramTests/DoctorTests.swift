import Beacons
import Glibc
import Linux
import Messages
import TestBroker
import Testing

/// What `doctor` reports where there is no adapter: the virtual machine tests the rest.
@Suite(.enabled(if: TestBroker.isInstalled, "skipped: no mosquitto here"))
struct DoctorTests {
    /// What was found of each check, in order; `ok` is `nil` where the result is not known.
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
            case "gateway": #expect(finding.ok == nil && finding.text.contains("run --config"), "\(finding)")
            case "configuration", "broker", "credentials", "state folder":
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
        // A second login would disconnect the first: what is known is what the gateway knows.
        #expect(credentials.ok == true && credentials.text.contains("the gateway (process "), "\(credentials)")
        #expect(!site.broker.log.contains("already connected"))

        let second = try Program.gateway.run("run", "--config", file)
        #expect(second.status == 69 && second.output.isEmpty && second.errorLines.count == 1, "\(second)")
        #expect(second.errors.contains("state_directory"))
        #expect(try gateway.ended(by: SIGTERM).status == 0)
        #expect(try examine(file).first { $0.subject == "gateway" }?.text.contains("does not run") == true)
    }

    @Test func `beside a running gateway, the credentials fail for what keeps that gateway out, and pass without`()
        throws
    {
        let broker = try LockedBroker()
        let folder = try TestFolder()
        // Twice: what one gateway left behind is no finding about the next.
        for _ in 0..<2 {
            for (id, port, password, line, words) in [
                ("kitchen", broker.gatewayPort, "hall", "No connection", "wrong password"),
                ("kitchen", broker.port, "kitchen", "No connection", "rejects user kitchen"),
                ("hall", broker.gatewayPort, "kitchen", "refuses", "compare id"),
                ("kitchen", broker.gatewayPort, "kitchen", "Connected to the broker", nil),
            ] as [(String, Int, String, String, String?)] {
                let path = try folder.write(
                    """
                    id = "\(id)"
                    room = "Kitchen"
                    state_directory = "state"
                    [mqtt]
                    host = "localhost"
                    port = \(port)
                    username = "kitchen"
                    password_file = "\(broker.folder.path("secrets/\(password).password"))"
                    [radio]
                    source = "simulation"

                    """, to: "gateway.toml")
                let gateway = try Program.gateway.start("run", "--config", path)
                try gateway.complaint(of: line)
                var found = try examine(path)
                let deadline = Clock.now + .seconds(30)
                while found.first(where: { $0.subject == "credentials" })?.ok != (words == nil), Clock.now < deadline {
                    found = try examine(path)
                }
                let credentials = try #require(found.first { $0.subject == "credentials" })
                #expect(credentials.ok == (words == nil), "\(credentials)")
                if let words {
                    #expect(credentials.text.contains(words), "\(credentials)")
                    #expect(credentials.text.contains("broker-setup"), "\(credentials)")
                }
                #expect(found.first { $0.subject == "broker" }?.ok == true, "\(found)")
                #expect(try gateway.ended(by: SIGTERM).status == 0)
            }
        }
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

    @Test(.enabled(if: geteuid() == 0, "skipped: only root can give a folder to another user"))
    func `who may not read the aggregator's state folder can check and examine everything else`() throws {
        let site = try Site()
        let aggregator = try site.startAggregator()
        try aggregator.complaint(of: "Connected to the broker")
        let file = site.folder.path("aggregator.toml")
        let state = site.folder.path("aggregator")
        try run(["chown", "65534", state], in: site.folder)
        try run(["chmod", "0700", state], in: site.folder)
        // Root without the right to pass over permissions is any user.
        let anybody = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", Program.aggregator.path]
        for _ in 0..<2 {
            let check = try RunningProgram(anybody + ["check", "--config", file]).ended()
            #expect(check.status == 0 && check.output.isEmpty && check.errorLines.count == 1, "\(check)")
            #expect(check.errors.contains("plan.toml") && check.errors.contains("sudo"), "\(check)")
            let doctor = try RunningProgram(anybody + ["doctor", "--json", "--config", file]).ended()
            let found = try #require(try JSONValue(parsing: Array(doctor.output.utf8)).array, "\(doctor)").compactMap(
                \.object)
            for check in ["drawn plan", "state folder"] {
                let finding = try #require(found.first { $0["check"]?.string == check }, "\(doctor)")
                #expect(finding["ok"] == nil && finding["text"]?.string?.contains("sudo") == true, "\(doctor)")
            }
            #expect(found.contains { $0["check"]?.string == "aggregator" && $0["ok"]?.bool == true }, "\(doctor)")
        }
        // Whoever may read it has it checked.
        _ = try site.folder.write("[[room]]\nname = 7\n", to: "aggregator/plan.toml")
        #expect(try Program.aggregator.run("check", "--config", file).status == 78)
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
            #expect(try finding("configuration")["text"]?.string == "\(file): only [mqtt] was read")
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
