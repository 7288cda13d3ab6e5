import Glibc
import Linux
import Settings

/// What is wrong with the files and programs that a configuration names.
package struct FileChecks {
    private let file: String
    private let named: [NamedFile]
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

    /// Runs a check of files. Its sentence gets the line of the key that names the file in the sentence.
    package mutating func check(_ check: () throws(Failure) -> Void) {
        do throws(Failure) { try check() } catch {
            status = status ?? error.status
            let sentence = "\(error)"
            // One path may be the begin of another.
            guard
                let cause = named.filter({ sentence.contains($0.path) }).max(by: {
                    $0.path.utf8.count < $1.path.utf8.count
                })
            else { return problems.append(SettingsProblem(file: file, line: nil, text: sentence)) }
            let key = cause.key.split(separator: ".").last ?? ""
            let prefix = sentence.hasPrefix("\(key): ") ? String(sentence.dropFirst(key.utf8.count + 2)) : sentence
            note("\(cause.key): \(prefix)", line: cause.line)
        }
    }

    /// Prints a line for each problem; returns the status of the process.
    package func report() -> ExitStatus {
        for problem in problems.sorted(by: { ($0.line ?? 0) < ($1.line ?? 0) }) { printLine("\(problem)") }
        return status ?? .right
    }

    private mutating func note(_ text: String, line: Int?) {
        problems.append(SettingsProblem(file: file, line: line, text: text))
    }
}

/// Why a program cannot be run; `nil` if it can.
private func programFault(_ program: String) -> String? {
    let isPath = program.contains("/")
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
    let candidates = isPath ? [program] : path.split(separator: ":").map { "\($0)/\(program)" }
    if candidates.contains(where: { access($0, X_OK) == 0 && !isFolder($0) }) { return nil }
    if isPath, access(program, F_OK) == 0 {
        return isFolder(program) ? "is a folder and no program" : "cannot be run by this user: check its mode"
    }
    return isPath ? "does not exist" : "is not installed"
}

private func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}
