import Glibc
import Linux

/// What is wrong with one of the files that the options name.
struct FileProblem: Error, Hashable {
    var setting: BrokerMistake.Setting
    var reason: String
    /// Whether it may come right by itself. A path that leads nowhere or to the wrong thing is a typo and stops the start;
    /// a file that is there and may not be read yet (a volume, a credential, a group not set up so early) is waited for.
    var mayHeal: Bool

    /// `key_file: /x …`.
    var description: String { "\(setting.rawValue): \(reason)" }

    init(_ setting: BrokerMistake.Setting, _ reason: String, mayHeal: Bool = false) {
        self.setting = setting
        self.reason = reason
        self.mayHeal = mayHeal
    }

    init(_ setting: BrokerMistake.Setting, _ error: SystemError, at path: String) {
        switch error.code {
        case ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG: self.init(setting, "\(path) does not exist")
        case EFBIG: self.init(setting, "\(path) is too large to be one")
        default: self.init(setting, "\(path): \(error.reason)", mayHeal: true)
        }
    }
}

/// The content of the file at `path`, where it is one that may be used as `setting`.
///
/// - Parameter isSecret: refuse it when everyone may read or replace it.
func readOptionFile(
    _ path: String, as setting: BrokerMistake.Setting, isSecret: Bool
) throws(FileProblem) -> [UInt8] {
    var status = stat()
    guard stat(path, &status) == 0 else { throw FileProblem(setting, .last("look at \(path)"), at: path) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw FileProblem(setting, "\(path) is not a file") }
    if isSecret && status.st_mode & 0o007 != 0 {
        throw FileProblem(setting, "everyone may use \(path): chmod 600 \(path)")
    }
    do throws(SystemError) {
        return try readFile(at: path, limit: 1 << 20)
    } catch {
        throw FileProblem(setting, error, at: path)
    }
}
