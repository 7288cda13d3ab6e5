import Broker
import Glibc
import Linux
import PageConfiguration
import Settings
import SiteCore

/// Writes everything that a site must not lose into one file, also while the aggregator runs: `forgetmenot backup`.
///
/// - Parameters:
///   - path: the aggregator's configuration file.
///   - file: the file to write. An older one is replaced when the new one is complete and on the disk.
///   - recipients: the file of age with who can decrypt the backup; `nil`: whoever knows the passphrase for which age asks.
///   - copyHistory: copies the history from one path to another, as of one moment.
package func backUp(
    configurationAt path: String, to file: String, recipients: String?,
    copyHistory: (String, String) throws(Failure) -> Void
) throws(Failure) -> ExitStatus {
    guard file != "-" else {
        throw Failure(.usage, "a backup is written to a file, not to standard output: name a file, like site.tar.gz")
    }
    guard !file.isEmpty else { throw Failure(.usage, "the name of the backup is empty: name a file, like site.tar.gz") }
    guard recipients == nil || BackupArchive.isEncrypted(file) else {
        throw Failure(.usage, "\(file) would not be encrypted: write a name that ends with .age")
    }
    if let recipients, access(recipients, R_OK) != 0 {
        throw Failure(.noInput, "\(SystemError.last("read \(recipients)"))")
    }
    let site = try NamedFiles(ofConfigurationAt: path)
    do {
        let staged: StagedFile
        do throws(SystemError) { staged = try StagedFile([], for: namedFile(at: file)) } catch {
            throw Failure(error.code == EINVAL ? .usage : .disk, "\(error)")
        }
        let work = try WorkFolder(in: temporaryFolder)
        let madeAt = Clock.wall
        let note = "format = \(BackupArchive.format)\nmade_at = \"\(madeAt)\"\n"
        try replaceFile(at: work.file(BackupArchive.note), with: Array(note.utf8))
        let copy = StateFolder(path: work.file("state"))
        try copyState(site.state, to: copy, copyHistory)
        if let name = BackupArchive.damagedFile(in: copy) {
            throw Failure(
                .noInput,
                "\(file) is not written: \(site.state.file(name)) is damaged: restore an older backup, or move the file away"
            )
        }
        let names = try [BackupArchive.note] + site.copy(to: work) + ["state"]
        try BackupArchive.write(names, of: work.path, to: staged, for: file, recipients: recipients)
        try staged.commit()
    } catch {
        throw failure(of: error)
    }
    let warning = BackupArchive.isEncrypted(file) ? "" : " unencrypted: store it where only you can read it"
    printLine("\(file) has the site with its passwords and keys\(warning)")
    return .right
}

/// Why a backup or a restore ends.
func failure(of error: any Error) -> Failure {
    if let failure = error as? Failure { return failure }
    guard (error as? SystemError)?.code == EACCES else { return Failure(.disk, "\(error)") }
    return Failure(.noInput, "\(error): run the command with sudo")
}

/// Copies a state folder that an aggregator may be writing.
///
/// The aggregator counts its start first, then writes events to the log, then applies them to the site, and to the history. Copied in the
/// opposite order, the log has every event that the site and the history have applied, as after a power cut. `site.log` comes before
/// `site.json`: if the site was written as a whole in between, it has every change of the log.
private func copyState(
    _ state: StateFolder, to copy: StateFolder, _ copyHistory: (String, String) throws(Failure) -> Void
) throws {
    try copyFolder(state.path, to: copy.path)
    if access(state.file(BackupArchive.history), F_OK) == 0 {
        try copyHistory(state.file(BackupArchive.history), copy.file(BackupArchive.history))
        try copyOwner(of: state.file(BackupArchive.history), to: copy.file(BackupArchive.history))
    }
    // The pictures before the plan and behind it: those that the plan shows are among them, even if it is changed in between.
    let pictures = { try state.entries().filter { $0.hasPrefix(PlanPicture.filePrefix) } }
    for name in try pictures() + BackupArchive.stateFiles.dropLast() { try copyOwnFile(name, of: state, to: copy) }
    for name in try pictures() { try copyOwnFile(name, of: state, to: copy) }
    let (log, logCopy) = (StateFolder(path: state.file("events")), StateFolder(path: copy.file("events")))
    if log.identity != nil {
        try copyFolder(log.path, to: logCopy.path)
        // Behind the end of a segment, only a newer one is written: in order, no copy has an event without those before it.
        for name in try log.entries().filter(BackupArchive.isSegment).sorted(by: { ($0.count, $0) < ($1.count, $1) }) {
            try copyOwnFile(name, of: log, to: logCopy)
        }
    }
    try copyOwnFile("boot", of: state, to: copy)
}

/// A configuration file and the files that it names.
private struct NamedFiles {
    let state: StateFolder
    private let file: String
    private let paths: [String]

    init(ofConfigurationAt path: String) throws(Failure) {
        file = absolute(path)
        let reading: SettingsReading<ServiceConfiguration>
        do throws(SystemError) {
            reading = readSettings(try readFile(at: file), file: file) { ServiceConfiguration($0) }
        } catch {
            throw Failure(error.code == ENOENT ? .noSuchFile(path) : .unreadable(path, reason: error.reason))
        }
        guard let configuration = reading.configuration else { throw Failure(.wrong(reading.problems)) }
        state = StateFolder(path: configuration.aggregator.stateDirectory)
        paths = Set(namedPaths(reading, configuration)).subtracting([state.path]).sorted()
        guard access(state.file("boot"), F_OK) == 0 || errno != ENOENT else {
            throw Failure(
                .noInput,
                "\(state.path) has no site: start the aggregator once, or name its configuration with --config")
        }
    }

    /// Copies all of them into a folder; returns the names of its entries for the archive.
    func copy(to work: borrowing WorkFolder) throws -> [String] {
        let folder = sibling("", of: file)
        try copyFolder(folder, to: work.file("configuration"))
        try copyFile(file, to: work.file(BackupArchive.configuration))
        for path in paths {
            guard access(path, F_OK) == 0 || errno != ENOENT else {
                printError("forgetmenot: \(path) does not exist, and so is not in the backup")
                continue
            }
            guard let name = nameInside(folder, of: path) else {
                let real = realpath(path, nil)
                defer { free(real) }
                try copyFile(path, to: work.file("elsewhere" + (real.map { String(cString: $0) } ?? "/" + path)))
                continue
            }
            try copyFile(path, to: work.file("configuration/" + name))
        }
        try copyTree(folder + BackupArchive.broker, to: work.file("configuration/" + BackupArchive.broker))
        return ["configuration"] + (access(work.file("elsewhere"), F_OK) == 0 ? ["elsewhere"] : [])
    }

    private func copyTree(_ path: String, to copy: String) throws {
        guard let names = try? StateFolder(path: path).entries() else { return }
        try copyFolder(path, to: copy)
        for name in names where !name.hasPrefix(".") {
            let source = "\(path)/\(name)"
            if isFolder(source) { try copyTree(source, to: "\(copy)/\(name)") }
            if isRegularFile(source) { try copyFile(source, to: "\(copy)/\(name)") }
        }
    }
}

/// The paths that a configuration names: those of its keys, and the file of passwords in the URL of a database.
func namedPaths(_ reading: SettingsReading<ServiceConfiguration>, _ configuration: ServiceConfiguration) -> [String] {
    let passwords = configuration.history.database?.split(separator: "passfile=").dropFirst().first
    return reading.files.filter { !$0.isProgram }.map(\.path)
        + (passwords.map { [String($0.prefix { $0 != "&" })] } ?? [])
}

/// The name of a path below a folder, whose path ends with a slash; `nil` if the path is not below the folder.
func nameInside(_ folder: String, of path: String) -> String? {
    guard path.hasPrefix(folder) else { return nil }
    let name = String(path.dropFirst(folder.count))
    return name.split(separator: "/", omittingEmptySubsequences: false).contains { ["", ".", ".."].contains($0) }
        ? nil : name
}

/// Whether a folder is at a path, and no link to one.
func isFolder(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}

/// Makes a folder with the owner and the permissions of another.
private func copyFolder(_ path: String, to copy: String) throws(SystemError) {
    try StateFolder(path: copy).make(mode: 0o700)
    try copyOwner(of: path, to: copy)
}

/// Copies a file with its owner and permissions.
private func copyFile(_ path: String, to copy: String) throws(SystemError) {
    try write(try readFile(at: path, limit: BackupArchive.mostFileBytes), to: copy, asOf: path)
}

/// Copies a file of the state folder, unless it does not exist.
private func copyOwnFile(_ name: String, of folder: StateFolder, to copy: StateFolder) throws(SystemError) {
    let bytes: [UInt8]
    do throws(SystemError) {
        bytes = try readOwnFile(at: folder.file(name), limit: BackupArchive.mostFileBytes)
    } catch {
        if error.code == ENOENT { return }
        throw error
    }
    try write(bytes, to: copy.file(name), asOf: folder.file(name))
}

private func write(_ bytes: [UInt8], to copy: String, asOf path: String) throws(SystemError) {
    try StateFolder(path: String(sibling("", of: copy).dropLast())).make(mode: 0o700)
    let file = try openOwnFile(copy, O_WRONLY | O_CREAT | O_TRUNC, "write")
    try writeAll(bytes, to: file.number, path: copy)
    try copyOwner(of: path, to: copy)
}

private func copyOwner(of path: String, to copy: String) throws(SystemError) {
    var status = stat()
    // Who is not root owns all of it already.
    guard stat(path, &status) == 0 else { return }
    if chown(copy, status.st_uid, status.st_gid) != 0, geteuid() == 0 { throw .last("copy \(path)") }
    guard chmod(copy, status.st_mode & 0o777) == 0 else { throw .last("copy \(path)") }
}
