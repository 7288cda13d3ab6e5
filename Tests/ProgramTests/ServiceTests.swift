import Beacons
import Glibc
import Linux
import Simulation
import TestBroker
import Testing

/// Both programs as systemd runs them.
@Suite(.enabled(if: TestBroker.isInstalled, "skipped: no mosquitto here"))
struct ServiceTests {
    private func file(_ program: Program, _ site: Site) throws -> String {
        switch program {
        case .gateway: try site.gatewayFile("kitchen", room: "Kitchen", radio: "source = \"simulation\"")
        case .aggregator: try site.aggregatorFile(["Violin": Site.violin])
        }
    }

    @Test(arguments: [Program.gateway, .aggregator])
    func `a service notifies systemd that it is ready, of its status, that it runs, and that it stops`(program: Program)
        throws
    {
        let site = try Site()
        let supervisor = try SupervisorSocket(in: site.folder)
        // Three times in a period: so the service sends a sign of life every 100 ms.
        let service = try supervisor.start(
            [program.path, "run", "--config", file(program, site)], watchdog: .milliseconds(300))
        try supervisor.receive("READY=1")
        // The status is sent when it changes, before or after any of these.
        var (signs, isConnected) = (0, false)
        while signs < 3 || !isConnected {
            let message = try supervisor.receive("")
            if message == "WATCHDOG=1" { signs += 1 }
            if message.hasPrefix("STATUS=") { isConnected = message.contains("connected to localhost:") }
        }
        service.signal(SIGTERM)
        try supervisor.receive("STOPPING=1")
        let end = try service.ended()
        #expect(end.status == 0 && !end.hasCrashed, "\(end)")
        let observer = try Observer(site.broker)
        let topic = program == .gateway ? "gateways/kitchen" : "aggregator"
        #expect(observer.latest["forgetmenot/\(topic)/availability"] == "offline")
    }

    @Test(arguments: [Program.gateway, .aggregator])
    func `a service that hangs does not notify systemd's watchdog`(program: Program) throws {
        let site = try Site()
        let supervisor = try SupervisorSocket(in: site.folder)
        let service = try supervisor.start(
            [program.path, "run", "--config", file(program, site)], watchdog: .milliseconds(300))
        try supervisor.receive("WATCHDOG=1")
        service.signal(SIGSTOP)
        // What it sent before it stopped may arrive yet.
        let until = Clock.now + .seconds(1)
        while Clock.now < until {
            if !supervisor.isSilent { try supervisor.receive("") } else { _ = wait(for: [], until: until) }
        }
        #expect(supervisor.isSilent)
        service.signal(SIGCONT)
        try supervisor.receive("WATCHDOG=1")
        #expect(try service.ended(by: SIGTERM).status == 0)
    }

    @Test(
        .enabled(if: SteeredKernel.hindrance == nil, "skipped: the disk cannot be steered here"),
        arguments: [Program.gateway, .aggregator])
    func `a service whose disk hangs gives signs of life, reports the disk, and goes on, the first time and the second`(
        program: Program
    ) throws {
        let site = try Site()
        let supervisor = try SupervisorSocket(in: site.folder)
        let disk = try site.folder.write("0", to: "disk")
        let other = program == .gateway ? try site.startAggregator() : nil
        let service = try supervisor.start(
            SteeredKernel.prefix(disk: disk) + [program.path, "run", "--config", file(program, site)],
            watchdog: .milliseconds(300))
        try supervisor.receive("READY=1")
        let observer = try Observer(site.broker)
        let info = "forgetmenot/" + (program == .gateway ? "gateways/kitchen" : "aggregator") + "/info"
        func waitForProblem(_ isThere: Bool) throws {
            try observer.wait(for: "a problem: \(isThere)") {
                observer.latest[info]?.contains("the disk has not completed a write within 5 s") == isThere
            }
            // Those that it sent while the disk hung have been received, so that these are later.
            while !supervisor.isSilent { try supervisor.receive("") }
            for _ in 1...3 { try supervisor.receive("WATCHDOG=1") }
        }
        for round in 1...2 {
            try site.folder.write("6000", to: "disk")
            // The aggregator writes the item, the gateway the registry.
            let beacon = ["--uuid", "\(House.uuid)", "--major", "7", "--minor", "\(round)"]
            _ = try site.ask(["items", "add", "Item \(round)"] + beacon)
            try waitForProblem(true)
            try site.folder.write("0", to: "disk")
            try waitForProblem(false)
        }
        withExtendedLifetime(other) {}
        #expect(try service.ended(by: SIGTERM).status == 0)
    }

    @Test(.enabled(if: SteeredKernel.hindrance == nil, "skipped: the disk cannot be steered here"))
    func `a gateway whose disk never responds gives signs of life when the broker goes and comes, twice`() throws {
        let site = try Site()
        let supervisor = try SupervisorSocket(in: site.folder)
        let disk = try site.folder.write("0", to: "disk")
        let service = try supervisor.start(
            SteeredKernel.prefix(disk: disk) + [Program.gateway.path, "run", "--config", file(.gateway, site)],
            watchdog: .milliseconds(300))
        try service.complaint(of: "Connected to the broker")
        try site.folder.write("600000", to: "disk")
        for _ in 1...2 {
            site.broker.kill()
            try service.complaint(of: "The connection to the broker ended")
            try site.broker.restart()
            try service.complaint(of: "Connected to the broker")
            while !supervisor.isSilent { try supervisor.receive("") }
            for _ in 1...3 { try supervisor.receive("WATCHDOG=1") }
        }
    }

    /// Runs a service until it is online, and returns what it logged until it had stopped.
    private func log(of program: Program, level: String, _ options: String...) throws -> [Substring] {
        let site = try Site()
        let table = "[log]\nlevel = \"\(level)\"\n"
        let (path, topic) =
            switch program {
            case .gateway:
                (
                    try site.gatewayFile(
                        "kitchen", room: "Kitchen", radio: "source = \"simulation\"", more: table),
                    "gateways/kitchen"
                )
            case .aggregator: (try site.aggregatorFile(page: Site.noPage + table), "aggregator")
            }
        let observer = try Observer(site.broker)
        let service = try RunningProgram([program.path, "run", "--config", path] + options)
        try observer.wait(for: "the service to be online") {
            observer.latest["forgetmenot/\(topic)/availability"] == "online"
        }
        let end = try service.ended(by: SIGTERM)
        #expect(end.status == 0 && !end.hasCrashed, "\(end)")
        return end.errorLines
    }

    @Test(arguments: [Program.gateway, .aggregator])
    func `a service logs what it publishes at log.level "debug" or with --verbose, and notices down to "notice"`(
        program: Program
    ) throws {
        let published = " debug: publish forgetmenot/"
        let connected = " notice: Connected to the broker"
        for lines in [
            try log(of: program, level: "debug"), try log(of: program, level: "error", "--verbose"),
        ] {
            #expect(lines.contains { $0.contains(published) } && lines.contains { $0.contains(connected) }, "\(lines)")
        }
        let notice = try log(of: program, level: "notice")
        #expect(!notice.contains { $0.contains(" debug: ") } && notice.contains { $0.contains(connected) }, "\(notice)")
        let error = try log(of: program, level: "error")
        #expect(!error.contains { $0.contains(" notice: ") }, "\(error)")
    }

    @Test(arguments: [Program.gateway, .aggregator])
    func `a second service does not work in the state folder of the first`(program: Program) throws {
        let site = try Site()
        let path = try file(program, site)
        let first = try program.start("run", "--config", path)
        try first.complaint(of: "Connected to the broker")
        let second = try program.run("run", "--config", path)
        #expect(second.status == 69 && second.output.isEmpty && second.errorLines.count == 1, "\(second)")
        #expect(second.errors.contains("uses \(site.folder.path)"), "\(second)")
        // The first was not disturbed, and leaves the folder to the next.
        let end = try first.ended(by: SIGTERM)
        #expect(end.status == 0 && !end.errors.contains("The connection to the broker ended"), "\(end)")
        let next = try program.start("run", "--config", path)
        try next.complaint(of: "Connected to the broker")
        #expect(try next.ended(by: SIGTERM).status == 0)
    }

    @Test(arguments: [Program.gateway, .aggregator])
    func `a pipe in the place of any file of its state hangs no service`(program: Program) throws {
        let site = try Site()
        let path = try file(program, site)
        let before = try program.start("run", "--config", path)
        try before.complaint(of: "Connected to the broker")
        #expect(try before.ended(by: SIGTERM).status == 0)
        let folder = site.folder.path(program == .gateway ? "kitchen" : "aggregator")
        var names = Set(try StateFolder(path: folder).entries()).subtracting(["lock", "events"])
        #expect(names.contains("boot"))
        names.formUnion(try StateFolder(path: folder + "/events").entries().map { "events/" + $0 })
        names.formUnion([
            "events/1.log", "events/2.log", "states.0", "states.1", "past.txt", "surveys.json", "home-assistant",
            "home-assistant-components",
        ])
        for name in names {
            unlink("\(folder)/\(name)")
            #expect(mkfifo("\(folder)/\(name)", 0o600) == 0)
        }
        let service = try program.start("run", "--config", path)
        try service.complaint(of: "Connected to the broker")
        let end = try service.ended(by: SIGTERM)
        #expect(end.status == 0 && !end.hasCrashed, "\(end)")
    }

    @Test func `a gateway that is reloaded serves another room, and names the settings that need a restart`() throws {
        let site = try Site()
        let supervisor = try SupervisorSocket(in: site.folder)
        let radio = "source = \"simulation\""
        let path = try site.gatewayFile("kitchen", room: "Kitchen", radio: radio)
        let gateway = try supervisor.start([Program.gateway.path, "run", "--config", path])
        let observer = try Observer(site.broker)
        let info = "forgetmenot/gateways/kitchen/info"
        try observer.wait(for: "the kitchen") { observer.latest[info]?.contains("\"room\":\"Kitchen\"") == true }

        _ = try site.gatewayFile("kitchen", room: "Hall", radio: radio + "\nseed = 7")
        gateway.signal(SIGHUP)
        try supervisor.receive("RELOADING=1")
        try supervisor.receive("READY=1")
        try gateway.complaint(of: "[radio] changed as well: that takes effect at the next start")
        try observer.wait(for: "the hall") { observer.latest[info]?.contains("\"room\":\"Hall\"") == true }

        // A file that is invalid changes nothing, and the service reports why.
        _ = try site.gatewayFile("kitchen", room: "Attic", radio: "source = 7")
        gateway.signal(SIGHUP)
        try gateway.complaint(of: "was not applied, the former configuration stays in force")
        #expect(observer.latest[info]?.contains("\"room\":\"Hall\"") == true)
        #expect(try gateway.ended(by: SIGTERM).status == 0)
    }

    @Test func `an aggregator that is reloaded knows a new item`() throws {
        let site = try Site()
        let aggregator = try site.startAggregator(["Violin": Site.violin])
        let observer = try Observer(site.broker)
        try observer.wait(forAllOf: ["forgetmenot/registry/items/violin"])
        try site.aggregatorFile(["Violin": Site.violin, "Cat": Site.cat])
        aggregator.signal(SIGHUP)
        try observer.wait(forAllOf: ["forgetmenot/registry/items/cat"])
        try site.aggregatorFile(["Cat": Site.cat])
        aggregator.signal(SIGHUP)
        try observer.wait(for: "the violin's end") { observer.latest["forgetmenot/registry/items/violin"] == nil }
        #expect(try aggregator.ended(by: SIGTERM).status == 0)
    }

    @Test func `a reload that fails is a problem in info at once, and its end, too`() throws {
        let site = try Site()
        let aggregator = try site.startAggregator()
        let observer = try Observer(site.broker)
        let info = "forgetmenot/aggregator/info"
        try observer.wait(forAllOf: [info])
        for _ in 0..<2 {
            for isWrong in [true, false] {
                if isWrong {
                    try site.folder.write("nonsense = 1\n", to: "aggregator.toml")
                } else {
                    try site.aggregatorFile()
                }
                aggregator.signal(SIGHUP)
                // The next heartbeat comes up to 30 s later.
                try observer.wait(for: "the problem \(isWrong)", within: .seconds(10)) {
                    observer.latest[info]?.contains("nonsense") == isWrong
                }
            }
        }
        #expect(try aggregator.ended(by: SIGTERM).status == 0)
    }

    @Test func `a credential of systemd's stands in for the password's file`() throws {
        var options = TestBroker.Options()
        options.users = ["kitchen": "rose"]
        let site = try Site(options)
        let file = try site.gatewayFile(
            "kitchen", room: "Kitchen", radio: "source = \"simulation\"",
            broker: "username = \"kitchen\"\npassword_file = \"gateway.password\"\n")
        let credentials = site.folder.path("credentials")
        try StateFolder(path: credentials).make()
        try site.folder.write("rose\n", to: "credentials/gateway.password", mode: 0o400)
        // The file beside the configuration is not even there.
        let gateway = try RunningProgram(
            ["env", "CREDENTIALS_DIRECTORY=\(credentials)", Program.gateway.path, "run", "--config", file])
        try gateway.complaint(of: "Connected to the broker")
        #expect(try gateway.ended(by: SIGTERM).status == 0)

        // An empty file stands in where there is none: systemd has to be given something.
        try site.folder.write("\n", to: "credentials/gateway.password")
        try site.folder.write("rose\n", to: "gateway.password")
        let second = try RunningProgram(
            ["env", "CREDENTIALS_DIRECTORY=\(credentials)", Program.gateway.path, "run", "--config", file])
        try second.complaint(of: "Connected to the broker")
        #expect(try second.ended(by: SIGTERM).status == 0)
    }
}
