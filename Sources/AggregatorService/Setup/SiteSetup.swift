import Beacons
import Broker
import BrokerSetup
import Doctor
import Glibc
import Linux
import Mosquitto
import PageConfiguration
import Settings
import SiteClient

/// Sets up this machine with the site's broker and its aggregator: `forgetmenot setup`.
///
/// It can run again at any time: it does what is left to do, and changes nothing that works. Everything is checked before anything is written.
package func setUpSite(_ words: SiteSetupWords) throws(Failure) -> ExitStatus {
    try examineMachine()
    let page = try loadConfiguration(at: standardConfigurationPath).page
    let words = try ask(words)
    var run = try SetupRun(words)
    let steps = try run.state().steps
    for step in steps { try run.perform(step) }
    if steps.isEmpty { printLine("Nothing needs to change.") }
    printLine("")
    let status = report(try run.findings(patience: steps.isEmpty ? .zero : .seconds(15)), asJSON: false)
    if page.isEnabled { for line in ["", "The page: \(page.address)"] { printLine(line) } }
    if page.isEnabled, page.isOnLoopback, page.url == nil {
        let here = (words.user.map { "\($0)@" } ?? "") + (reachableHost() ?? localHostName())
        printLine(
            "From another machine: run `ssh -N -L \(page.port):localhost:\(page.port) \(here)` there, and open "
                + "\(page.tls == nil ? "http" : "https")://localhost:\(page.port)/. Or give the page another address: [page] in "
                + "\(standardConfigurationPath).")
    }
    return status
}

let brokerFolder = "\(configurationFolder)/broker"
private let brokerLink = WrittenBroker.link
private let gatewayFile = "\(configurationFolder)/gateway.toml"
private let (aggregatorUnit, gatewayUnit) = ("forgetmenot", "forgetmenot-gateway")

private var hasGateway: Bool { access("/usr/bin/forgetmenot-gateway", X_OK) == 0 }

private var isLinked: Bool { WrittenBroker.isLinked(to: brokerFolder) }

/// Throws if this machine has no broker or no systemd, or if this user may not change it.
private func examineMachine() throws(Failure) {
    guard geteuid() == 0 else {
        throw Failure(.usage, "setup changes the configuration of this machine: run it with sudo")
    }
    guard isSystemdRunning else {
        throw Failure(
            .unavailable, "systemd does not run here, which starts the services: run `forgetmenot broker-setup`")
    }
    guard access("/etc/mosquitto/conf.d", F_OK) == 0 else {
        throw Failure(.unavailable, "there is no broker on this machine: sudo apt install mosquitto")
    }
    guard access("\(brokerFolder)/users-ca.crt", F_OK) != 0 else {
        throw Failure(
            .usage, "\(brokerFolder) is a site with certificates: paste the lines of `forgetmenot broker-setup`")
    }
    var status = stat()
    guard isLinked || lstat(brokerLink, &status) != 0 else {
        throw Failure(
            .usage,
            "\(brokerLink) is not the link that setup makes, so mosquitto was locked in another way: move it away to have setup lock mosquitto"
        )
    }
}

/// Asks for the options that are missing; throws if one is wrong.
private func ask(_ words: SiteSetupWords) throws(Failure) -> SiteSetupWords {
    var words = words
    if words.room?.isEmpty == false, !hasGateway {
        throw Failure(.usage, "--room needs the gateway's program: sudo apt install forgetmenot-gateway")
    }
    if !words.missing(hasGateway: hasGateway, isLocked: isLinked).isEmpty, let terminal = Terminal() {
        try ask(&words, at: terminal)
    }
    let missing = words.missing(hasGateway: hasGateway, isLocked: isLinked)
    guard missing.isEmpty else {
        throw Failure(
            .usage, "there is no terminal to ask at: give \(missing.map { "--\($0)" }.joined(separator: ", "))")
    }
    if let user = words.user, getpwnam(user) == nil {
        throw Failure(.noInput, "this machine has no user \(tomlText(user)): give another --user")
    }
    return words
}

private func ask(_ words: inout SiteSetupWords, at terminal: borrowing Terminal) throws(Failure) {
    for option in words.missing(hasGateway: hasGateway, isLocked: isLinked) {
        switch option {
        case .user:
            let sudoer = getenv("SUDO_USER").map { String(cString: $0) }
            words.user = terminal.ask("Which user of this machine uses the commands?", standard: sudoer ?? "root")
        case .room:
            let question = "Which room does this machine serve as a gateway (empty: it is none)?"
            let (id, room) = knownGateway()
            words.room = terminal.ask(question, standard: id.flatMap { rooms()[$0] } ?? room)
        case .yes:
            let question = "Lock mosquitto, so that each of its clients needs a password, and TLS from other machines?"
            words.mayLock = ["yes", "y"].contains(terminal.ask(question, standard: "yes"))
            guard words.mayLock else {
                throw Failure(.no, "nothing is changed, because the broker has to be locked first")
            }
        }
    }
}

/// The id and the room in the gateway's configuration, as far as it has them.
private func knownGateway() -> (id: String?, room: String?) {
    var known: (id: String?, room: String?)
    // All other keys are the gateway's.
    _ = try? readSettings(at: gatewayFile, otherTables: .ignored) { known = ($0.id("id"), $0.text("room")) }
    return known
}

private func rooms() -> [String: String] {
    knownGateways(at: brokerFolder, broker: standardConfigurationPath)?.compactMapValues(\.self) ?? [:]
}

private struct SetupRun {
    private var broker: WrittenBroker
    private let user: LocalClient?
    private let gateway: LocalClient?
    private let room: String?
    private let settings: BrokerSettings

    /// Writes the files of the broker.
    init(_ words: SiteSetupWords) throws(Failure) {
        room = words.room.flatMap { $0.isEmpty ? nil : $0 }
        let known = knownGateway().id
        var brokerWords = BrokerSetupWords(folder: brokerFolder, aggregatorFile: standardConfigurationPath)
        (brokerWords.gateways, brokerWords.users) = (room.map { [$0] } ?? [], words.user.map { [$0] } ?? [])
        brokerWords.rooms = rooms()
        // The broker's password belongs to the id: a gateway in another room stays the same.
        if let known, let room { brokerWords.rooms[known] = room }
        // An existing site goes on as its gateways know it.
        if access("\(brokerFolder)/setup.toml", F_OK) != 0 { brokerWords.tls = true }
        let broker = try writeBroker(brokerWords)
        self.broker = broker
        if let change = broker.aggregatorChange { printLine(change) }
        settings = try loadBrokerSettings(at: standardConfigurationPath)
        user = words.user.map { name in
            let home = getpwnam(name).map { String(cString: $0.pointee.pw_dir) } ?? ""
            return broker.user(name, home: home, file: "\(home)/\(ownBrokerFile)")
        }
        gateway = room.flatMap { broker.gateway(inRoom: $0, id: known, file: gatewayFile, source: words.source) }
    }

    func state() throws(Failure) -> SetupState {
        let isLocked = isLinked && requiresPasswords
        let aggregatorRuns = try isServiceRunning(aggregatorUnit) && broker.aggregatorChange == nil
        let gatewayRuns = try isServiceRunning(gatewayUnit)
        let running = gatewayRuns ? gateway.flatMap { broker.isConfigured($0) ? $0.name : nil } : nil
        let site = isLocked ? try site(withAggregator: aggregatorRuns, gateway: running) : SiteView()
        let isLoaded = try broker.isLoaded()
        return SetupState(
            broker: !isLocked ? .open : isLoaded ? .current : .outdated,
            hasAccess: user.map { broker.isConfigured($0) } ?? true,
            isAggregatorCurrent: aggregatorRuns && site.isAggregatorAlive(),
            isGatewayCurrent: gateway == nil
                || running.map { site.isAlive(gateway: $0) && site.gateways[$0]?.info?.room == room } ?? false)
    }

    /// The site. What runs has some time to reach a broker that was just restarted.
    private func site(withAggregator aggregatorRuns: Bool, gateway: String?) throws(Failure) -> SiteView {
        let deadline = Clock.now + .seconds(10)
        while true {
            let site = try BrokerSession(settings: settings).view(asksGateways: true)
            let isComplete =
                (!aggregatorRuns || site.isAggregatorAlive()) && gateway.map { site.isAlive(gateway: $0) } ?? true
            if isComplete || Clock.now >= deadline { return site }
            _ = wait(for: [], until: Clock.now + .milliseconds(200))
        }
    }

    mutating func perform(_ step: SetupState.Step) throws(Failure) {
        switch step {
        case .loadBroker:
            try loadBroker()
            printLine("mosquitto requires passwords.")
        case .giveAccess:
            guard let user else { return }
            try broker.configure(user)
            printLine("\(user.name) may use the commands.")
        case .startAggregator:
            try systemctl("enable", aggregatorUnit)
            try systemctl("restart", aggregatorUnit)
            printLine("The aggregator is started, and starts with the machine.")
        case .setUpGateway:
            guard let gateway else { return }
            try broker.configure(gateway)
            printLine("The gateway \(gateway.name) is started, and starts with the machine.")
        }
    }

    /// Restarts mosquitto with the files. If it does not start with them for the first time, it gets its former configuration back.
    private mutating func loadBroker() throws(Failure) {
        let (isNew, texts) = (!isLinked, try broker.brokerTexts())
        if isNew, symlink("\(brokerFolder)/mosquitto.conf", brokerLink) != 0 {
            throw Failure(.disk, "\(SystemError.last("make the link \(brokerLink)"))")
        }
        do throws(Failure) {
            try systemctl("enable", "mosquitto")
            try systemctl("restart", "mosquitto")
            // It may end right behind its start.
            guard isIn(BrokerOptions(settings)) else {
                throw Failure(.unavailable, "mosquitto does not accept the aggregator: look in journalctl -u mosquitto")
            }
        } catch {
            guard isNew else { throw error }
            let reason = mosquittoErrors() ?? "look in journalctl -u mosquitto"
            unlink(brokerLink)
            broker.undoAggregator()
            try? systemctl("restart", "mosquitto")
            throw Failure(
                .unavailable,
                "mosquitto does not start with \(brokerLink), which is removed again, perhaps because /etc/mosquitto has "
                    + "another listener on one of its ports: \(reason)")
        }
        guard !letsInAnybody else {
            throw Failure(
                .unavailable,
                "mosquitto does not use \(brokerLink): /etc/mosquitto/mosquitto.conf needs the line include_dir /etc/mosquitto/conf.d"
            )
        }
        try broker.noteLoaded(texts)
    }

    /// Whether the broker accepts the aggregator's password, and refuses clients without one.
    private var requiresPasswords: Bool { isIn(BrokerOptions(settings)) && !letsInAnybody }

    private var letsInAnybody: Bool {
        var anonymous = BrokerOptions(settings)
        (anonymous.username, anonymous.passwordFile) = (nil, nil)
        return isIn(anonymous)
    }

    private func isIn(_ options: BrokerOptions) -> Bool {
        examination(options).findings().allSatisfy { $0.verdict == .passed }
    }

    private func examination(_ options: BrokerOptions) -> BrokerExamination {
        BrokerExamination(options, reading: "\(settings.topicPrefix.text)/#", beside: nil)
    }

    /// What runs and what does not. What has just been started has some time, at most `patience`, to report that it runs.
    func findings(patience: Interval) throws(Failure) -> [Finding] {
        let deadline = Clock.now + patience
        while true {
            let findings = try findings()
            if Clock.now >= deadline || findings.allSatisfy({ $0.verdict == .passed }) { return findings }
            _ = wait(for: [], until: Clock.now + .milliseconds(200))
        }
    }

    private func findings() throws(Failure) -> [Finding] {
        let site = try SiteExamination.findings(over: try BrokerSession(settings: settings))
        var findings = examination(BrokerOptions(settings)).findings().filter { $0.subject == "broker" }
        findings += site.filter { $0.subject == "aggregator" }
        guard let gateway else { return findings }
        let own = site.filter { $0.subject == "gateway \(gateway.name)" }
        let none = Finding(
            "gateway \(gateway.name)", .failed,
            "does not run, or does not reach the broker: see journalctl -u \(gatewayUnit)")
        return findings + (own.isEmpty ? [none] : own)
    }
}
