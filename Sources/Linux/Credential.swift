import Glibc

/// The path from which to read the file `path`: systemd's credential with the name of that file if there is a non-empty
/// one, otherwise `path`.
///
/// One configuration so works both for the service, which gets the file from systemd (LoadCredential=), and for users
/// who can read the file itself.
/// - Parameter folder: systemd's folder of credentials; by default the environment's.
package func credential(
    standingFor path: String, in folder: String? = getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
) -> String {
    guard let folder, let name = path.split(separator: "/").last else { return path }
    let candidate = "\(folder)/\(name)"
    guard let contents = try? readFile(at: candidate, limit: 1 << 20), contents.contains(where: { $0 > 0x20 }) else {
        return path
    }
    return candidate
}

/// The text of a file with secrets, of at most 64 KiB: systemd's credential of its name if there is one, otherwise the file itself.
///
/// - Throws: `.configuration` if the file cannot be read, or if all users can read it.
package func readSecrets(at file: String) throws(Failure) -> String {
    let path = credential(standingFor: file)
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & 0o007 != 0 {
        throw Failure(.configuration, "\(path) is accessible to all users: run chmod 600 \(path)")
    }
    return String(decoding: try orFail(.configuration) { try readFile(at: path, limit: 64 << 10) }, as: UTF8.self)
}
