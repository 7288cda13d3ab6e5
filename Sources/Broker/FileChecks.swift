import Glibc
import Linux
import Mosquitto
import Settings

/// What is wrong with the files and programs that a configuration names.
package struct FileChecks {
    private let file: String
    /// The named files that have no problem so far.
    private var named: [NamedFile]
    private var problems: [SettingsProblem] = []
    /// The status of the first check that failed.
    private var status: ExitStatus?

    /// Finds programs that cannot be run.
    ///
    /// - Parameter file: the configuration that names the files and programs.
    package init(of file: String, _ named: [NamedFile]) {
        self.file = file
        self.named = named
        for program in named where program.isProgram {
            guard let fault = programFault(program.path) else { continue }
            note("\(program.key): \(program.path) \(fault)", line: program.line)
            status = .configuration
        }
    }

    /// Runs a check of files. Each line of what it throws gets the line of the key that names the file in it.
    package mutating func check(_ check: () throws(Failure) -> Void) {
        do throws(Failure) { try check() } catch {
            status = status ?? error.status
            for sentence in "\(error)".split(separator: "\n") { attribute(String(sentence)) }
        }
    }

    private mutating func attribute(_ sentence: String) {
        func begins(with named: NamedFile) -> Bool { sentence.hasPrefix("\(named.lastKey): ") }
        // One path may be the beginning of another. Of keys with one path, the first without a problem is meant.
        let candidates = named.indices.filter { sentence.contains(named[$0].path) }
        let longest = candidates.map { named[$0].path.utf8.count }.max()
        let fitting = candidates.filter { named[$0].path.utf8.count == longest }
        guard let place = fitting.first(where: { begins(with: named[$0]) }) ?? fitting.first else {
            return note(sentence, line: nil)
        }
        let cause = named.remove(at: place)
        let text = begins(with: cause) ? String(sentence.dropFirst(cause.lastKey.utf8.count + 2)) : sentence
        note("\(cause.key): \(text)", line: cause.line)
    }

    /// Prints a line for each problem; returns the status of the process.
    package func report() -> ExitStatus {
        for line in lines { printLine(line) }
        return status ?? .right
    }

    /// Throws unless all files that `[mqtt]` of the configuration at `path` names can be used, with a line for each problem, as `report` prints it.
    package static func pass(_ settings: BrokerSettings, from path: String) throws(Failure) {
        let mistakes = BrokerOptions(settings).mistakes()
        guard !mistakes.isEmpty else { return }
        let named = try usable(
            try namedFiles(at: path) { BrokerSettings($0.table("mqtt"), clientID: .configured(default: "")) })
        var checks = FileChecks(of: path, named)
        for mistake in mistakes { checks.attribute("\(mistake)") }
        throw Failure(.configuration, checks.lines.joined(separator: "\n"))
    }

    private var lines: [String] { problems.sorted { ($0.line ?? 0) < ($1.line ?? 0) }.map(\.description) }

    private mutating func note(_ text: String, line: Int?) {
        problems.append(SettingsProblem(file: file, line: line, text: text))
    }
}

extension NamedFile {
    /// The key without its table, as in the sentences of checks.
    fileprivate var lastKey: Substring { key.split(separator: ".").last ?? "" }
}

/// Why a program cannot be run; `nil` if it can, or if the service's user perhaps can.
private func programFault(_ program: String) -> String? {
    guard program.contains("/") else {
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
        return path.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 } ? nil : "is not installed"
    }
    var status = stat()
    if stat(program, &status) != 0 {
        if errno == ENOENT || errno == ENOTDIR { return "does not exist" }
    } else if status.st_mode & S_IFMT == S_IFDIR {
        return "is a folder and no program"
    } else if status.st_mode & 0o111 == 0 {
        return "is not executable: check its mode"
    } else if access(program, X_OK) == 0 {
        return nil
    }
    printError("\(program) is not checked, because this user may not run it: run this command with sudo")
    return nil
}
