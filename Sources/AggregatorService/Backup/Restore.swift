import Beacons
import Broker
import BrokerSetup
import Glibc
import Linux
import PageConfiguration
import Settings
import SiteClient
import SiteCore

/// Restores the site of a backup as a whole, or changes nothing: `forgetmenot restore`.
///
/// - Parameters:
///   - file: the backup.
///   - path: where the configuration file goes. The configuration names the state folder.
///   - identity: the file with the key for age; `nil`: age asks for the passphrase of an encrypted backup.
///   - isForced: whether an existing site is set aside.
package func restore(
    _ file: String, configurationAt path: String, identity: String?, isForced: Bool
) throws(Failure) -> ExitStatus {
    let archive = try BackupArchive(at: file, identity: identity)
    let (names, bytes) = try archive.check()
    let madeAt = try archive.madeAt()
    let configuration = absolute(path)
    let place = try Place(try archive.stateFolder(configurationAt: configuration, names), isForced: isForced)
    if let free = Disk.freeBytes(at: place.parent), free < UInt64(bytes) {
        throw Failure(.disk, "\(file) needs \(bytes) bytes, and \(place.parent) has \(free): free disk space")
    }
    defer { withExtendedLifetime(place) {} }
    var changes = Changes()
    let folder = String(sibling("", of: configuration).dropLast())
    let broker = "\(folder)/\(BackupArchive.broker)"
    let former = WrittenBroker.logins(in: broker)
    do {
        try StateFolder(path: folder).make(mode: 0o755)
        try StateFolder(path: place.parent).make(mode: 0o755)
        let stateWork = try WorkFolder(in: place.parent)
        let work = try WorkFolder(in: sibling(".", of: configuration))
        try archive.unpack(["state"], into: stateWork.path)
        try archive.unpack(["configuration"], into: work.path)
        let state = StateFolder(path: stateWork.file("state"))
        try archive.check(state)
        try BootCounter.raise(in: state, after: place.state, since: madeAt)
        let name = String(configuration.dropFirst(sibling("", of: configuration).count))
        try changes.move(work.file(BackupArchive.configuration), to: work.file("configuration/" + name))
        // What mosquitto had loaded then, it has not loaded now.
        WrittenBroker.noteChanged(in: work.file("configuration/\(BackupArchive.broker)"))
        try syncTree(state.path)
        try syncTree(work.file("configuration"))
        do {
            // The state folder comes last: if it is there, all of the site is.
            try changes.merge(work.file("configuration"), into: folder)
            try changes.put(state, at: place)
            WrittenBroker.noteChanged(in: broker)
        } catch {
            changes.undo()
            throw error
        }
        for folder in [folder, place.parent, place.state.path] { try syncFolder(folder) }
    } catch {
        throw failure(of: error)
    }
    let now = WrittenBroker.logins(in: broker)
    let next =
        if configuration == standardConfigurationPath, !now.isEmpty {
            "run `sudo forgetmenot setup`, which locks mosquitto with it and starts the aggregator"
        } else if now != former || WrittenBroker.isLinked(to: broker) {
            "restart mosquitto, and start the aggregator"
        } else {
            "start the aggregator"
        }
    printLine("The site of \(madeAt) is in \(place.state.path), its configuration is \(configuration): \(next)")
    if !former.isEmpty {
        let restored = now.keys.filter { now[$0] != former[$0] }.sorted()
        if !restored.isEmpty { printLine("Let in as at the time of the backup: \(restored.joined(separator: ", "))") }
        let gone = former.keys.filter { now[$0] == nil }.sorted()
        if !gone.isEmpty { printLine("No longer let in: \(gone.joined(separator: ", "))") }
    }
    for path in changes.setAside { printLine("What was there before is in \(path): delete it if you do not need it") }
    for name in names where name.hasPrefix("elsewhere/") && !names.contains(where: { $0.hasPrefix(name + "/") }) {
        printLine(
            "\(name.dropFirst("elsewhere".count)) is not restored, because it is in another folder: take it from \(file)"
        )
    }
    return .right
}

extension BackupArchive {
    fileprivate func madeAt() throws(Failure) -> WallTime {
        let reading = readSettings(try contents(of: Self.note), file: Self.note, otherTables: .ignored) { note in
            let format = note.required.integer("format", in: Self.format...Self.format)
            return note.required.wallTime("made_at").flatMap { format == nil ? nil : $0 }
        }
        if let time = reading.configuration { return time }
        throw refusal("a newer version wrote it (\(reading.problems.first?.description ?? ""))")
    }

    /// The state folder that the configuration in the archive names. Each file beside the configuration has to be one that it names.
    fileprivate func stateFolder(configurationAt path: String, _ names: [String]) throws(Failure) -> StateFolder {
        let reading = readSettings(try contents(of: Self.configuration), file: path) { ServiceConfiguration($0) }
        guard let configuration = reading.configuration else {
            throw refusal("its configuration has problems (\(reading.problems.first?.description ?? ""))")
        }
        let paths = namedPaths(reading, configuration) + ["/aggregator.toml"]
        for name in names where name.hasPrefix("configuration/") {
            let end = name.dropFirst("configuration".count)
            guard
                end == "/" + Self.broker || end.hasPrefix("/\(Self.broker)/")
                    || paths.contains(where: { $0.hasSuffix(end) || $0.contains(end + "/") })
            else { throw refusal("its entry \(name) is no file of its configuration") }
        }
        return StateFolder(path: configuration.aggregator.stateDirectory)
    }

    /// Refuses a site that the aggregator could not read.
    fileprivate func check(_ state: StateFolder) throws(Failure) {
        guard let name = Self.damagedFile(in: state, among: [SiteFile.site.rawValue]) else { return }
        throw refusal("the aggregator could not read its state/\(name)")
    }
}

/// Where the state folder of a restored site goes. No aggregator can start there as long as this value exists.
private struct Place {
    let state: StateFolder
    /// The folder in which files have the disk of the state folder.
    let parent: String
    /// What is there already, besides the lock.
    let former: [String]
    /// Whether another disk, or a volume of a container, is at the path: such a folder cannot be renamed.
    let isMounted: Bool
    private let lock: StateLock?

    init(_ folder: StateFolder, isForced: Bool) throws(Failure) {
        let real = realpath(folder.path, nil)
        defer { free(real) }
        state = StateFolder(path: real.map { String(cString: $0) } ?? folder.path)
        do throws(SystemError) {
            // Where no lock is, no aggregator has been.
            lock = access(state.file("lock"), F_OK) == 0 ? try StateLock(state) : nil
        } catch {
            guard error.code == EAGAIN else { throw Failure(.noInput, "\(error): run the command with sudo") }
            throw Failure(
                .unavailable,
                "an aggregator runs in \(state.path): stop it first, as with sudo systemctl stop forgetmenot")
        }
        var status = stat()
        guard isFolder(state.path) || lstat(state.path, &status) != 0 else {
            throw Failure(.usage, "\(state.path) is no folder: move it away, or change state_directory")
        }
        let names = (try? state.entries()) ?? []
        former = names.filter { $0 != "lock" && !$0.hasPrefix(WorkFolder.prefix) && !$0.hasPrefix(asideName) }
        let mounts = (try? readInput(at: "/proc/self/mountinfo")) ?? []
        // The kernel writes a space in a path as an octal number.
        let name = state.path.replacing(" ", with: "\\040")
        isMounted = String(decoding: mounts, as: UTF8.self).contains(" \(name) ")
        parent = isMounted ? state.path : sibling(".", of: state.path)
        guard !former.isEmpty else { return }
        guard former.contains("boot") || former.contains(SiteFile.site.rawValue) else {
            throw Failure(
                .usage,
                "\(state.path) has files, but no site: restore with a configuration whose state_directory is free")
        }
        guard isForced else {
            throw Failure(
                .usage, "\(state.path) has a site: add --force to set it aside, and to restore the backup in its place")
        }
    }
}

/// Waits until a folder and all that is in it are on the disk.
private func syncTree(_ path: String) throws(SystemError) {
    for name in try StateFolder(path: path).entries() {
        if isFolder("\(path)/\(name)") { try syncTree("\(path)/\(name)") } else { try syncFile("\(path)/\(name)") }
    }
    try syncFolder(path)
}

private func syncFile(_ path: String) throws(SystemError) {
    let file = try openOwnFile(path, O_RDONLY, "sync")
    guard fsync(file.number) == 0 else { throw .last("sync \(path)") }
}

/// What was there before a restore has this in its name.
private let asideName = "before-restore"

/// The renames of a restore, which can be undone.
private struct Changes {
    private(set) var setAside: [String] = []
    private var undoing: [() -> Void] = []

    func undo() { for step in undoing.reversed() { step() } }

    mutating func move(_ path: String, to target: String) throws(SystemError) {
        guard rename(path, target) == 0 else { throw .last("move \(path) to \(target)") }
        undoing.append { rename(target, path) }
    }

    private mutating func exchange(_ path: String, with other: String) throws(SystemError) {
        guard exchangeFiles(path, other) == 0 else { throw .last("exchange \(path) and \(other)") }
        undoing.append { exchangeFiles(path, other) }
    }

    /// Moves the entries of one folder into another. A file there that differs gets another name.
    mutating func merge(_ source: String, into folder: String) throws(SystemError) {
        for name in try StateFolder(path: source).entries().sorted() {
            let (path, target) = ("\(source)/\(name)", "\(folder)/\(name)")
            if isFolder(path), isFolder(target) {
                try merge(path, into: target)
            } else if !exists(target) {
                try move(path, to: target)
            } else if (try? readFile(at: path)) != (try? readFile(at: target)) || isFolder(path) {
                try exchange(path, with: target)
                try setAside(path, from: target)
            }
        }
    }

    mutating func put(_ state: StateFolder, at place: Place) throws(SystemError) {
        if place.isMounted {
            if !place.former.isEmpty {
                let aside = freeName(place.state.file(asideName))
                try StateFolder(path: aside).make(mode: 0o700)
                undoing.append { rmdir(aside) }
                for name in place.former { try move(place.state.file(name), to: "\(aside)/\(name)") }
                setAside.append(aside)
            }
            return try merge(state.path, into: place.state.path)
        }
        guard exists(place.state.path) else { return try move(state.path, to: place.state.path) }
        try exchange(state.path, with: place.state.path)
        if !place.former.isEmpty { try setAside(state.path, from: place.state.path) }
    }

    /// Moves what was at a path to a free name beside it.
    private mutating func setAside(_ former: String, from path: String) throws(SystemError) {
        let aside = freeName("\(path).\(asideName)")
        try move(former, to: aside)
        setAside.append(aside)
    }

    private func freeName(_ path: String) -> String {
        guard exists(path) else { return path }
        return (2...).lazy.map { "\(path)-\($0)" }.first { !exists($0) }!
    }

    private func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }
}
