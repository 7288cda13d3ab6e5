import Beacons
import Broker
import Glibc
import Linux
import Messages
import Settings
import Text

/// The options of one run of `broker-setup`; settings without an option stay as they are.
package struct BrokerSetupWords {
    package var folder: String
    /// Gateways to let in, by room or id.
    package var gateways: [String] = []
    /// Whether each of `gateways` is one more, also if the broker lets in one of this room already.
    package var areMore = false
    /// People and home automation to let in.
    package var users: [String] = []
    /// Gateways and users to shut out.
    package var removed: [String] = []
    /// The id of a gateway to shut out, if the site lets it in with a password.
    package var removedGateway: String?
    /// The name or address under which clients reach the broker.
    package var host: String?
    /// The address to which the broker binds.
    package var bind: String?
    /// The port of people, home automation and the aggregator.
    package var port: Int?
    package var gatewayPort: Int?
    /// The prefix of all topics.
    package var prefix: String?
    /// The rooms that gateways serve now, by id: `gateways set` may have changed them since the broker let them in.
    package var rooms: [String: String] = [:]
    /// Whether a new site uses certificates.
    package var certificates = false
    /// Whether clients with passwords on other machines use TLS.
    package var tls: Bool?
    /// The port for TLS of people and home automation.
    package var tlsPort: Int?
    package var tlsGatewayPort: Int?
    /// The aggregator's configuration, which is completed if it exists; `nil`: none.
    package var aggregatorFile: String?
    /// Whether an aggregator with another broker is left as it is; otherwise nothing is written.
    fileprivate var mayLeaveAggregator = false

    package init(folder: String, aggregatorFile: String?) {
        self.folder = folder
        self.aggregatorFile = aggregatorFile
    }
}

/// Writes the files that the site's mosquitto needs, and prints the command lines to paste: `forgetmenot broker-setup`.
///
/// It can run again at any time: it adds what is missing, and existing keys and passwords stay.
package func setUpBroker(_ words: BrokerSetupWords) throws(Failure) -> ExitStatus {
    var words = words
    words.mayLeaveAggregator = true
    let broker = try writeBroker(words)
    for change in broker.folder.changes { printLine(change) }
    if broker.folder.changes.isEmpty { printLine("Nothing needs to change.") }
    for line in broker.site.brokerInstructions(broker.folder) { printLine(line) }
    for line in broker.instructions(for: words.gateways, words.users) { printLine(line) }
    return .right
}

/// Writes the files that the site's mosquitto needs, and completes the aggregator's configuration.
package func writeBroker(_ words: BrokerSetupWords) throws(Failure) -> WrittenBroker {
    var folder = SetupFolder(absolute(words.folder))
    // All options are checked before anything is written.
    if !folder.has("secrets") {
        _ = try plan(words, in: folder)
        try folder.make()
    }
    // Another run that writes now may let in somebody, whom this one must not forget.
    let lock = try folder.lock()
    defer { withExtendedLifetime(lock) {} }
    var (former, site, removed, aggregator) = try plan(words, in: folder)
    if let hindrance = aggregator?.hindrance { folder.note(hindrance) }
    let isElsewhere = former.map { $0.host != site.host } ?? false
    try folder.make()
    switch site.proof {
    case .passwords:
        try folder.setPasswords(of: site.gateways.map(\.id), in: .gateways, afterRemoving: removed)
        try folder.setPasswords(of: [site.aggregator] + site.users, in: .users, afterRemoving: removed)
        // A certificate follows the name of the broker also without TLS, which may be switched on again.
        if site.tls != nil || folder.has("server.crt") {
            try folder.setServerCertificate(for: site.host, isElsewhere: isElsewhere)
        }
    case .certificates:
        try folder.setServerCertificate(for: site.host, isElsewhere: isElsewhere)
        try folder.setClientCertificates(site)
    }
    try folder.write(site.gatewaysACL, to: "gateways.acl", for: .broker)
    try folder.write(site.usersACL, to: "users.acl", for: .broker)
    try folder.write(site.mosquittoConfiguration(in: folder.path), to: "mosquitto.conf", for: .broker)
    // Last, when all files that setup.toml names exist.
    try folder.write(site.toml, to: "setup.toml", for: .nobody, quietly: true)
    let completed = try aggregator?.complete(from: folder)
    if let completed { folder.note(completed) }
    let (known, present) = (former?.gateways.map(\.id) ?? [], site.gateways.map(\.id))
    return WrittenBroker(
        site: site, folder: folder, newGateways: present.filter { !known.contains($0) },
        removedGateways: known.filter { !present.contains($0) }, aggregatorFile: aggregator,
        aggregatorChange: completed)
}

/// The site's broker, as the last run left it in a folder.
package func siteBroker(of folder: String) throws(Failure) -> SiteBroker {
    let file = SetupFolder(absolute(folder)).file("setup.toml")
    return try orFail(.configuration) { try readSettings(at: file) { SiteBroker($0) } }
}

/// Whether clients with these settings reach the broker of a folder of `broker-setup`, from its own machine.
package func isBroker(of folder: String, reachedBy settings: BrokerSettings) throws(Failure) -> Bool {
    let site = try siteBroker(of: folder)
    let ports = [site.port] + [site.tls?.users].compactMap(\.self)
    return settings.prefix == site.prefix.text && site.isReached(at: settings.host) && ports.contains(settings.port)
}

/// The site as the last run left it, the site with the changes of this run, the ids that this run removes, and the aggregator's configuration.
private func plan(_ words: BrokerSetupWords, in folder: SetupFolder) throws(Failure) -> (
    former: SiteBroker?, site: SiteBroker, removed: [String], aggregator: AggregatorFile?
) {
    let former = folder.has("setup.toml") ? try siteBroker(of: folder.path) : nil
    let (site, removed) = try site(words, after: former, in: folder)
    let file = words.aggregatorFile
    return (
        former, site, removed,
        try file.flatMap { (file) throws(Failure) in
            try AggregatorFile(at: absolute(file), for: site, mayLeave: words.mayLeaveAggregator)
        }
    )
}

/// The former site with the changes of this run, and the ids that it removes.
private func site(
    _ words: BrokerSetupWords, after former: SiteBroker?, in folder: SetupFolder
) throws(Failure) -> (SiteBroker, removed: [String]) {
    if words.certificates, former?.proof == .passwords {
        throw Failure(
            .usage,
            "\(folder.path) is a site with passwords: name another folder with --folder for a site with certificates")
    }
    var site = former ?? SiteBroker(proof: words.certificates ? .certificates : .passwords)
    if let tls = words.tls {
        guard site.proof == .passwords else {
            throw Failure(.usage, "all connections of a site with certificates use TLS: leave out --tls and --no-tls")
        }
        site.tls = tls ? site.tls ?? SiteBroker.TLSPorts() : nil
    }
    guard site.tls != nil || words.tlsPort == nil && words.tlsGatewayPort == nil else {
        throw Failure(
            .usage,
            site.proof == .certificates
                ? "all connections of a site with certificates use TLS: choose its ports with --port and --gateway-port"
                : "this site has no ports for TLS: add --tls, or leave out --tls-port and --tls-gateway-port")
    }
    if let port = words.tlsPort { site.tls?.users = port }
    if let port = words.tlsGatewayPort { site.tls?.gateways = port }
    if let host = words.host { site.host = host }
    if let bind = words.bind { site.bind = bind }
    if let port = words.port { site.port = port }
    if let port = words.gatewayPort { site.gatewayPort = port }
    if let text = words.prefix {
        guard let prefix = TopicPrefix(text) else {
            throw Failure(
                .usage, "\(tomlText(text)) is not a topic prefix: write one without wildcards, like forgetmenot")
        }
        site.prefix = prefix
    }
    if let file = words.aggregatorFile, let elsewhere = AggregatorFile.elsewhere(at: absolute(file)) {
        site.elsewhere = elsewhere
    }
    var removed: [String] = []
    for name in words.removed { removed.append(try site.remove(name)) }
    if site.proof == .passwords { site.gateways.removeAll { $0.id == words.removedGateway } }
    for (index, gateway) in site.gateways.enumerated() {
        if let room = words.rooms[gateway.id] { site.gateways[index].room = room == gateway.id ? nil : room }
    }
    for name in words.gateways { try site.addGateway(named: name, isOneMore: words.areMore) }
    for name in words.users where !site.users.contains(name) {
        guard isValidID(name) else {
            throw Failure(
                .usage, "\(tomlText(name)) is not a valid user name: write at most 64 of a-z, 0-9, \"-\", \"_\", \".\"")
        }
        site.users.append(name)
    }
    if let mistake = site.mistake ?? folder.mistake { throw Failure(.usage, mistake) }
    return (site, removed)
}

extension SiteBroker {
    /// Adds a gateway by its room's name, or by the id of a gateway.
    fileprivate mutating func addGateway(named name: String, isOneMore: Bool) throws(Failure) {
        guard let id = gatewayID(named: name) else {
            throw Failure(
                .usage, "no id can be made from \(tomlText(name)): write a name with a letter or a digit in it")
        }
        guard name.isForPeople() else {
            throw Failure(
                .usage,
                "the room's name of gateway \(id) is too long, or has a control character: write 1 to 256 bytes without one"
            )
        }
        let known = gateways.first { $0.id == id }
        guard known == nil || isOneMore else { return }
        let own = known == nil ? id : freeID(like: id)
        let room = name == id ? known?.room ?? id : name
        gateways.append(Gateway(id: own, room: room == own ? nil : room))
    }

    /// The first free id of `id-2`, `id-3` and so on.
    private func freeID(like id: String) -> String {
        let taken = Set(gateways.map(\.id) + users + [aggregator])
        // An id has at most 64 characters.
        return (2...).lazy.map { "\(id.prefix(56))-\($0)" }.first { !taken.contains($0) }!
    }

    /// The existing gateway with this id or in this room, else an id made from the name. Existing ids stay, even if ids are made in another way now.
    package func gatewayID(named name: String) -> String? {
        guard !gateways.contains(where: { $0.id == name }) else { return name }
        let hasWord = name.unicodeScalars.contains { $0.properties.isAlphabetic || $0.properties.numericType != nil }
        let made = hasWord ? makeID(from: name, kind: .gateway, identity: name) : makeID(from: name)
        let inRoom = gateways.filter { $0.room == name }.map(\.id)
        return inRoom.first { $0 == made } ?? inRoom.first ?? made
    }

    /// Removes a gateway or a user; returns the id.
    fileprivate mutating func remove(_ name: String) throws(Failure) -> String {
        guard proof == .passwords else {
            throw Failure(
                .usage,
                "a certificate cannot be revoked by name: delete gateways-ca.crt, authorities/gateways-ca.key and the gateways' "
                    + "certificates in secrets, and run this again; for users, delete the same files of users")
        }
        let ids = gateways.contains { $0.id == name } ? [name] : gateways.filter { $0.room == name }.map(\.id)
        guard ids.count <= 1 else {
            throw Failure(
                .usage,
                "room \(tomlText(name)) has several gateways: remove one by its id, \(ids.joined(separator: " or "))")
        }
        let id = ids.first ?? makeID(from: name)
        guard let own = gateways.first(where: { $0.id == id })?.id ?? users.first(where: { $0 == name }) else {
            throw Failure(.noInput, "there is no gateway or user \(tomlText(name))")
        }
        gateways.removeAll { $0.id == own }
        users.removeAll { $0 == own }
        return own
    }
}
