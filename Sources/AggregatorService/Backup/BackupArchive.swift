import Channels
import Glibc
import Linux
import Settings
import SiteCore

/// The file that `backup` writes and `restore` reads: a tar archive compressed with gzip, and encrypted with age if its name ends with `.age`.
/// The programs `tar` and `age` do the work.
///
/// | entry | content |
/// |---|---|
/// | `forgetmenot-backup` | the format, and when the backup was made; the first entry |
/// | `configuration/aggregator.toml` | the configuration file |
/// | `configuration/…` | the files in its folder that it names, and the folder of `broker-setup` |
/// | `state/…` | the state folder |
/// | `elsewhere/…` | the files in other folders that the configuration names, by their absolute paths |
final class BackupArchive {
    static let note = "forgetmenot-backup"
    static let format = 1
    static let configuration = "configuration/aggregator.toml"
    static let broker = "broker"
    static let history = "history.sqlite"

    private struct Entry {
        /// The type and the permissions, like `drwxr-x---`.
        var mode: Substring
        var bytes: Int
        var name: Substring
        var parts: [Substring]
        var isFolder: Bool { mode.first == "d" }

        init?(_ line: Substring) {
            let words = line.split(separator: " ", maxSplits: 5)
            guard words.count == 6 else { return nil }
            (mode, bytes, name) = (words[0], Int(words[2]) ?? .max, words[5])
            parts = name.split(separator: "/", omittingEmptySubsequences: false)
            if isFolder, parts.last == "" { parts.removeLast() }
        }
    }

    private let path: String
    /// The archive after decryption.
    private let file: FileDescriptor

    static func isEncrypted(_ path: String) -> Bool { path.hasSuffix(".age") }

    // MARK: Writing

    /// Adds an archive of the entries of a folder to `file`, encrypted if it is for `path`.
    static func write(_ names: [String], of folder: String, to file: StagedFile, for path: String, recipients: String?)
        throws(Failure)
    {
        try orFail(.disk) {
            let words = ["tar", "--create", "--gzip", "--file=-", "--directory=\(folder)", "--"] + names
            guard isEncrypted(path) else {
                return try wait(for: [try Subprocess(words, writingTo: file.number)], writing: path)
            }
            let way = recipients.map { ["--recipients-file", $0] } ?? ["--passphrase"]
            try restoringTerminal { () throws(SystemError) in
                try encrypt(words, with: ["age", "--encrypt"] + way, to: file, for: path)
            }
        }
    }

    private static func encrypt(
        _ words: [String], with program: [String], to file: StagedFile, for path: String
    ) throws(SystemError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw .last("make a pipe") }
        let reading = FileDescriptor(owning: ends[0])
        let writing = FileDescriptor(owning: ends[1])
        let age: Subprocess
        do throws(SystemError) {
            age = try Subprocess(program, readingFrom: reading.number, writingTo: file.number)
        } catch {
            throw missing(error)
        }
        _ = consume reading
        let tar = try Subprocess(words, writingTo: writing.number)
        _ = consume writing
        try wait(for: [tar, age], writing: path)
    }

    private static func wait(for programs: [Subprocess], writing path: String) throws(SystemError) {
        // All of them, also behind one that failed.
        guard programs.count(where: { $0.waitForEnd() != .exited(0) }) == 0 else {
            throw SystemError(
                "write \(path)", code: EIO, because: "tar or age failed: free disk space, or read what they reported")
        }
    }

    private static func missing(_ error: SystemError) -> SystemError {
        guard error.code == ENOENT else { return error }
        return SystemError(error.action, code: ENOENT, because: "it is not installed: sudo apt install age")
    }

    // MARK: Reading

    /// Opens an archive, and decrypts it into a file without a name.
    init(at path: String, identity: String?) throws(Failure) {
        self.path = path
        let stored = try orFail(.noInput) { try FileDescriptor(opening: path, O_RDONLY) }
        guard Self.isEncrypted(path) else {
            file = stored
            return
        }
        var name = Array("\(temporaryFolder)/.forgetmenot-XXXXXX".utf8CString)
        file = FileDescriptor(owning: mkstemp(&name))
        guard file.number >= 0 else { throw Failure(.disk, "\(SystemError.last("make a file in \(temporaryFolder)"))") }
        unlink(name)
        let ending: Subprocess.Ending
        let (input, output) = (stored.number, file.number)
        do throws(SystemError) {
            let way = identity.map { ["--identity", $0] } ?? []
            ending = try restoringTerminal { () throws(SystemError) in
                try Subprocess(["age", "--decrypt"] + way, readingFrom: input, writingTo: output).waitForEnd()
            }
        } catch {
            throw Failure(.unavailable, "\(Self.missing(error))")
        }
        guard ending == .exited(0) else {
            throw Failure(
                .noInput, "\(path) is not decrypted: type its passphrase, or name the file of its key with --identity")
        }
    }

    /// Checks the whole file: that it can be read to its end, and that each entry is one that `backup` writes. Returns the names of all
    /// entries, and the bytes of all files.
    func check() throws(Failure) -> (names: [String], bytes: Int) {
        guard
            let list = output(
                of: ["--list", "--verbose", "--numeric-owner", "--quoting-style=escape"], limit: Self.longestList)
        else { throw refusal("it is damaged, or no archive of tar and gzip") }
        let lines = String(decoding: list, as: UTF8.self).split(separator: "\n")
        var names: Set<String> = []
        var bytes = 0
        for line in lines {
            guard let entry = Entry(line) else { throw refusal("tar lists it in another way") }
            if let problem = Self.problem(of: entry) { throw refusal("its entry \(entry.name) \(problem)") }
            guard names.insert(entry.parts.joined(separator: "/")).inserted else {
                throw refusal("its entry \(entry.name) stands twice")
            }
            bytes += entry.bytes
        }
        guard lines.first?.hasSuffix(" " + Self.note) == true,
            names.isSuperset(of: [Self.configuration, "state/boot"])
        else { throw refusal("it is another program's") }
        return (names.sorted(), bytes)
    }

    /// What is wrong with an entry; `nil` if `backup` writes such entries.
    private static func problem(of entry: Entry) -> String? {
        switch entry.mode.first {
        case "-", "d": break
        case "l", "h": return "is a link"
        default: return "is no file"
        }
        let parts = entry.parts
        if parts.contains("..") || parts.first == "" { return "leads out of the folder" }
        let isPlain = parts.allSatisfy { !$0.isEmpty && $0 != "." && !$0.contains("\\") }
        guard isPlain, !entry.mode.dropFirst().contains(where: { "sStT".contains($0) }) else { return "is unusual" }
        let isKnown =
            switch parts[0] {
            case "configuration", "elsewhere": entry.isFolder || parts.count > 1
            case "state" where parts.count == 1: entry.isFolder
            case "state" where parts.count == 2: entry.isFolder ? parts[1] == "events" : isStateFile(String(parts[1]))
            case "state": parts.count == 3 && parts[1] == "events" && !entry.isFolder && isSegment(String(parts[2]))
            default: parts == [note[...]] && !entry.isFolder
            }
        guard isKnown else { return "is none that a backup has" }
        let limit = parts == ["state", history[...]] ? Self.mostHistoryBytes : Self.mostFileBytes
        return entry.bytes <= limit ? nil : "has \(entry.bytes) bytes, and at most \(limit) are read"
    }

    func contents(of name: String) throws(Failure) -> [UInt8] {
        guard let bytes = output(of: ["--extract", "--to-stdout", "--", name], limit: 64 << 20) else {
            throw refusal("its entry \(name) cannot be read")
        }
        return bytes
    }

    /// Unpacks entries, with all that is in them, into a folder.
    func unpack(_ names: [String], into folder: String) throws(Failure) {
        let words = ["--extract", "--preserve-permissions", "--directory=\(folder)", "--"] + names
        guard output(of: words, limit: 0) != nil else {
            throw Failure(
                .disk, "\(path) cannot be unpacked into \(folder): free disk space, or examine the disk with dmesg")
        }
    }

    func refusal(_ reason: String) -> Failure {
        Failure(.noInput, "\(path) is not restored: \(reason): use a file that \"forgetmenot backup\" wrote")
    }

    /// What `tar` prints about the file; `nil` if it fails or prints more than `limit` bytes.
    private func output(of words: [String], limit: Int) -> [UInt8]? {
        var ends: [Int32] = [0, 0]
        lseek(file.number, 0, SEEK_SET)
        guard pipe(&ends) == 0 else { return nil }
        let reading = FileDescriptor(owning: ends[0])
        let writing = FileDescriptor(owning: ends[1])
        // One language on all machines, and names in UTF-8.
        let tar = try? Subprocess(
            ["env", "LC_ALL=C.UTF-8", "tar", "--gzip", "--file=-"] + words, readingFrom: file.number,
            writingTo: writing.number, errors: "/dev/null")
        _ = consume writing
        let bytes = try? readAll(of: reading.number, path: path, limit: limit)
        // A program that prints more than is read ends by SIGPIPE.
        _ = consume reading
        return tar?.waitForEnd() == .exited(0) ? bytes : nil
    }

    /// The limit of a file in bytes, except the history: the aggregator reads no larger one.
    static let mostFileBytes = 1 << 30
    /// The largest `size_mb` of a history, and what its last transaction may add.
    private static let mostHistoryBytes = 65_537 << 20
    private static let longestList = 4 << 20

    /// Whether a name is that of a file of the state folder, the history included.
    static func isStateFile(_ name: String) -> Bool {
        stateFiles.contains(name) || name == history
            || name.hasPrefix(PlanPicture.filePrefix)
                && PlanPicture.isName(String(name.dropFirst(PlanPicture.filePrefix.count)))
    }

    /// The files of the state folder in the order in which a backup copies them, besides the history, the pictures and the event log.
    static let stateFiles =
        [SiteFile.changes, .site, .past, .surveys].map(\.rawValue) + [drawnPlanFile, pageOffsetsFile]
        + [PushSubscriptions.file, PushSubscriptions.keyFile, "boot"]

    /// The first of these files of a state folder that the aggregator could not read; `nil` if it could read all that exist.
    static func damagedFile(in state: StateFolder, among names: [String] = stateFiles) -> String? {
        names.first { name in
            guard access(state.file(name), F_OK) == 0 else { return false }
            guard let bytes = try? readOwnFile(at: state.file(name), limit: mostFileBytes) else { return true }
            return isDamaged(bytes, as: name)
        }
    }

    private static func isDamaged(_ bytes: [UInt8], as name: String) -> Bool {
        switch name {
        case SiteFile.site.rawValue: (try? StoredSite(parsing: bytes)) == nil
        case SiteFile.surveys.rawValue: (try? StoredSurveys(parsing: bytes)) == nil
        case PushSubscriptions.file: (try? PushSubscriptions(parsing: bytes)) == nil
        case pageOffsetsFile: readSettings(bytes, file: name) { PageOffsets($0) }.configuration == nil
        // A plan that does not suit the configuration is whole: only its syntax counts.
        case drawnPlanFile:
            readSettings(bytes, file: name, otherTables: .ignored) { (_) in true }.configuration == nil
        default: false
        }
    }

    static func isSegment(_ name: String) -> Bool { name.hasSuffix(".log") && UInt32(name.dropLast(4)) != nil }
}

/// The folder for files that may be large: not /tmp, which may be in memory.
var temporaryFolder: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/var/tmp" }
