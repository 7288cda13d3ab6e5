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
