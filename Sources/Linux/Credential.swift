import Glibc

/// Where the file at `path` is to be read: systemd's credential of its name, where there is one that says anything, else there.
///
/// So one configuration serves the service, to which systemd hands the file (LoadCredential=), and whoever may read the file itself.
/// - Parameter folder: systemd's; the environment's unless given.
public func credential(
    standingFor path: String, in folder: String? = getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
) -> String {
    guard let folder, let name = path.split(separator: "/").last else { return path }
    let candidate = "\(folder)/\(name)"
    guard let contents = try? readFile(at: candidate, limit: 1 << 20), contents.contains(where: { $0 > 0x20 }) else {
        return path
    }
    return candidate
}
