import Glibc

/// A process that sees another wall clock, or a slow disk: a library of the project's own, loaded before all others.
///
/// libfaketime is no clock for Swift: it sets a variable when it is loaded, which moves the environment, and from where that is Swift looks
/// for a program's arguments. It finds none.
package enum SteeredKernel {
    /// The library, which the package manager puts beside the program that runs.
    private static let library: String = {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        _ = readlink("/proc/self/exe", &path, Int(PATH_MAX))
        let program = path.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        let folder = program.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        return folder.joined(separator: "/") + "/libSteeredKernel.so"
    }()

    /// Why it cannot be used, in words; `nil` where it can.
    package static var hindrance: String? { access(library, R_OK) == 0 ? nil : "\(library) was not built" }

    /// What goes before the words of a program.
    ///
    /// - Parameters:
    ///   - clock: the file with the number of seconds by which its clock is ahead of the true one, as `-3600`.
    ///   - uptime: the file with the number of seconds by which its monotonic clock is ahead.
    ///   - synchronised: the file with 1 if its clock counts as synchronised, and 0 if not.
    ///   - disk: the file with the number of milliseconds that each wait for its disk takes.
    package static func prefix(
        clock: String? = nil, uptime: String? = nil, synchronised: String? = nil, disk: String? = nil
    ) -> [String] {
        ["env", "LD_PRELOAD=\(library)"] + (clock.map { ["STEERED_CLOCK=\($0)"] } ?? [])
            + (uptime.map { ["STEERED_UPTIME=\($0)"] } ?? [])
            + (synchronised.map { ["STEERED_SYNCHRONISED=\($0)"] } ?? []) + (disk.map { ["STEERED_DISK=\($0)"] } ?? [])
    }
}
