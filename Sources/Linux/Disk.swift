import Glibc

/// The disk that something lies on.
public enum Disk {
    /// How many bytes this user may still write where `path` lies; `nil` where the kernel does not say.
    public static func freeBytes(at path: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }
}
