import Beacons
import Glibc
public import Linux
import Messages
import Settings
import Text

/// What `broker-setup` was told this time; what was not, stays as it is.
public struct BrokerSetupWords {
    /// The folder that is written.
    public var folder: String
    /// Gateways to let in, by room or id.
    public var gateways: [String] = []
    /// People and home automation to let in.
    public var users: [String] = []
    /// Who is no longer let in.
    public var removed: [String] = []
    /// By which name the others find the broker.
    public var host: String?
    /// The address that it listens on.
    public var bind: String?
    /// The port of people, home automation and the aggregator.
    public var port: Int?
    /// The port of gateways.
    public var gatewayPort: Int?
    /// What stands before all topics.
    public var prefix: String?
    /// Whether a new site is one with certificates.
    public var certificates = false
    /// The aggregator's configuration, which is completed where it is there.
    public var aggregatorFile: String

    /// Nothing but the folder and the aggregator's file.
    public init(folder: String, aggregatorFile: String) {
        self.folder = folder
        self.aggregatorFile = aggregatorFile
    }
}

/// Writes all that the site's mosquitto needs, and prints what is to be pasted where: `forgetmenot broker-setup`.
///
/// It may be run again at any time: it makes what is missing, and keys and passwords that are there stay.
public func setUpBroker(_ words: BrokerSetupWords) throws(Failure) -> ExitStatus {
    var folder = SetupFolder(absolute(words.folder))
    let former = try formerSite(in: folder)
    // Nothing is written before all of it was found to be right.
    let site = try site(words, after: former, in: folder)
    let aggregator = try AggregatorFile(at: absolute(words.aggregatorFile))
    try folder.make()
    switch site.proof {
    case .passwords:
        try folder.setPasswords(of: site.gateways.map(\.id), in: .gateways)
        try folder.setPasswords(of: [site.aggregator] + site.users, in: .users)
    case .certificates: try folder.setCertificates(site, isElsewhere: former.map { $0.host != site.host } ?? false)
    }
    try folder.write(site.gatewaysACL, to: "gateways.acl", for: .broker)
    try folder.write(site.usersACL, to: "users.acl", for: .broker)
    try folder.write(site.mosquittoConfiguration(in: folder.path), to: "mosquitto.conf", for: .broker)
    // Last: what it names is there.
    try folder.write(site.toml, to: "setup.toml", for: .nobody, quietly: true)
    if let configured = try aggregator?.complete(for: site, from: folder) { folder.note(configured) }

    for change in folder.changes { printLine(change) }
    if folder.changes.isEmpty { printLine("Nothing had to be changed.") }
    let invited = Set(words.gateways.compactMap { site.gatewayID(named: $0) } + words.users)
    for line in site.instructions(folder, for: invited) { printLine(line) }
    return .right
}

private func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let here = getcwd(nil, 0) else { return path }
    defer { free(here) }
    return String(cString: here) + "/" + path
}

/// What the site was told to be before; `nil`: nothing was.
private func formerSite(in folder: SetupFolder) throws(Failure) -> SiteBroker? {
    guard folder.has("setup.toml") else { return nil }
    do throws(SettingsError) {
        return try readSettings(at: folder.file("setup.toml")) { SiteBroker($0) }
    } catch {
        throw Failure(.configuration, "\(error)")
    }
}

/// What the site was, and what is to be changed of it.
private func site(
    _ words: BrokerSetupWords, after former: SiteBroker?, in folder: SetupFolder
) throws(Failure) -> SiteBroker {
    if words.certificates, former?.proof == .passwords {
        throw Failure(
            .usage, "\(folder.path) is a site with passwords: one with certificates needs a folder of its own")
    }
    var site = former ?? SiteBroker(proof: words.certificates ? .certificates : .passwords)
    if let host = words.host { site.host = host }
    if let bind = words.bind { site.bind = bind }
    if let port = words.port { site.port = port }
    if let port = words.gatewayPort { site.gatewayPort = port }
    if let text = words.prefix {
        guard let prefix = TopicPrefix(text) else {
            throw Failure(.usage, "\(tomlText(text)) cannot stand before topics")
        }
        site.prefix = prefix
    }
    for name in words.removed { try site.remove(name) }
    for name in words.gateways { try site.addGateway(named: name) }
    for name in words.users where !site.users.contains(name) {
        guard isValidID(name) else {
            throw Failure(
                .usage, "\(tomlText(name)) is no user's name: write a-z, 0-9, \"-\", \"_\", \".\", 64 at most")
        }
        site.users.append(name)
    }
    if let mistake = site.mistake ?? folder.mistake { throw Failure(.usage, mistake) }
    return site
}

extension SiteBroker {
    /// A gateway by its room's name, or by its id.
    fileprivate mutating func addGateway(named name: String) throws(Failure) {
        guard let id = gatewayID(named: name) else {
            throw Failure(.usage, "no id can be made of \(tomlText(name)): write a name with a-z or 0-9 in it")
        }
        guard name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw Failure(.usage, "the room of gateway \(id) has a line break or another control character in its name")
        }
        guard !gateways.contains(where: { $0.id == id }) else { return }
        gateways.append(Gateway(id: id, room: name == id ? nil : name))
    }

    /// The id of a gateway that is there, by its room's name, else one made from the name: ids that exist stay, however they are made now.
    fileprivate func gatewayID(named name: String) -> String? {
        gateways.first { $0.room == name }?.id ?? makeID(from: name)
    }

    fileprivate mutating func remove(_ name: String) throws(Failure) {
        guard proof == .passwords else {
            throw Failure(
                .usage,
                "a certificate cannot be taken back by name: delete gateways-ca.crt, authorities/gateways-ca.key and the gateways' "
                    + "certificates in secrets, and run this again; users likewise")
        }
        let before = gateways.count + users.count
        gateways.removeAll { $0.id == name }
        users.removeAll { $0 == name }
        guard gateways.count + users.count < before else {
            throw Failure(.no, "there is no gateway or user \(tomlText(name))")
        }
    }
}
