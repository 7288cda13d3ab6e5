import Glibc

/// Debian's libfaketime: a process that sees another wall clock, which is set anew while it runs. Its monotonic clocks stay as they are.
public enum Faketime {
    /// The library; `nil` where it is not installed.
    public static let library: String? = ["x86_64-linux-gnu", "aarch64-linux-gnu", "arm-linux-gnueabihf"]
        .map { "/usr/lib/\($0)/faketime/libfaketimeMT.so.1" }.first { access($0, R_OK) == 0 }

    /// Why it cannot be used, in words. Debian's sets a variable when it is loaded, which moves the environment, and from where that is
    /// Swift looks for a program's arguments: it finds none.
    public static let hindrance: String? = "libfaketime hides a Swift program's arguments from it"

    /// What goes before the words of a program whose clock `file` sets: `+0s`, `-3650d`.
    public static func prefix(clock file: String) -> [String] {
        [
            "env", "LD_PRELOAD=\(library ?? "")", "FAKETIME_TIMESTAMP_FILE=\(file)", "FAKETIME_NO_CACHE=1",
            "FAKETIME_DONT_FAKE_MONOTONIC=1",
        ]
    }
}
