import Glibc
import Linux

/// What is wrong with a file that the options name.
package struct FileProblem: Error, Hashable, CustomStringConvertible {
    /// The setting that names the file, by its key in the configuration's `[mqtt]`.
    enum Setting: String {
        case passwordFile = "password_file"
        case caFile = "ca_file"
        case certificateFile = "certificate_file"
        case keyFile = "key_file"
    }

    var setting: Setting
    /// What is wrong, and what to write instead.
    var reason: String
    /// Whether the problem may disappear by itself. A path that does not exist or is of the wrong type is a typo and
    /// prevents the start. A file that is not readable yet is retried, because its volume, credential or group may come
    /// later.
    var mayHeal: Bool

    /// `ca_file: /x does not exist`.
    package var description: String { "\(setting.rawValue): \(reason)" }

    init(_ setting: Setting, _ reason: String, mayHeal: Bool = false) {
        self.setting = setting
        self.reason = reason
        self.mayHeal = mayHeal
    }

    init(_ setting: Setting, _ error: SystemError, at path: String) {
        switch error.code {
        case ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG: self.init(setting, "\(path) does not exist")
        case EFBIG: self.init(setting, "\(path) is too large to be one")
        default: self.init(setting, "\(path): \(error.reason)", mayHeal: true)
        }
    }
}

/// Reads the file at `path`, if it is usable as `setting`.
///
/// - Parameter isSecret: whether to refuse a file that all users can read or replace.
func readOptionFile(
    _ path: String, as setting: FileProblem.Setting, isSecret: Bool
) throws(FileProblem) -> [UInt8] {
    var status = stat()
    guard stat(path, &status) == 0 else { throw FileProblem(setting, .last("read \(path)"), at: path) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw FileProblem(setting, "\(path) is not a file") }
    if isSecret && status.st_mode & 0o007 != 0 {
        throw FileProblem(setting, "\(path) is accessible to all users: run chmod 600 \(path)")
    }
    do throws(SystemError) {
        return try readFile(at: path, limit: 1 << 20)
    } catch {
        throw FileProblem(setting, error, at: path)
    }
}
