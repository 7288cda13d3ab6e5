import Beacons
import Glibc
import Linux
import TestBroker

/// Debian's libfaketime: a process that sees another wall clock, which is set anew while it runs. Its monotonic clocks stay as they are.
enum Faketime {
    /// The library; `nil` where it is not installed.
    static let library: String? = ["x86_64-linux-gnu", "aarch64-linux-gnu", "arm-linux-gnueabihf"]
        .map { "/usr/lib/\($0)/faketime/libfaketimeMT.so.1" }.first { access($0, R_OK) == 0 }

    /// What goes before the words of a party whose clock is to be set.
    static func prefix(_ party: String, in folder: TestFolder) -> [String] {
        [
            "env", "LD_PRELOAD=\(library ?? "")", "FAKETIME_TIMESTAMP_FILE=\(folder.path(party)).clock",
            "FAKETIME_NO_CACHE=1", "FAKETIME_DONT_FAKE_MONOTONIC=1", "DONT_FAKE_MONOTONIC=1",
        ]
    }

    /// Sets a party's clock: by hours mostly, and by decades.
    static func step(_ party: String, in folder: TestFolder, using generator: inout some RandomNumberGenerator) throws {
        let reach = Bool.random(using: &generator) ? 86_400 : 30 * 365 * 86_400
        let offset = Int.random(in: -reach...reach, using: &generator)
        try folder.write("\(offset < 0 ? "" : "+")\(offset)s\n", to: "\(party).clock")
    }
}
