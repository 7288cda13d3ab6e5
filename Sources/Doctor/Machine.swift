import Glibc
import Linux

extension Finding {
    /// Checks whether the machine's clock is synchronised according to the kernel.
    package static func clock(isSynchronised: Bool = Clock.isSynchronised) -> Finding {
        isSynchronised
            ? Finding("clock", .passed, "synchronised")
            : Finding(
                "clock", .failed,
                "not synchronised, so that times may be wrong: run `timedatectl set-ntp true`, and check that this machine reaches a time server"
            )
    }

    /// Checks the power supply of a Raspberry Pi; `nil` on other machines.
    package static func power(isUndervolted: Bool? = Vitals.isUndervolted()) -> Finding? {
        isUndervolted.map { isWeak in
            isWeak
                ? Finding(
                    "power", .failed,
                    "the power supply is too weak (undervoltage), which disturbs the radios and may damage the card: use another supply or cable"
                )
                : Finding("power", .passed, "the power supply is strong enough")
        }
    }

    /// Checks whether the folder at `path` is writable and has enough free space for the state.
    package static func stateFolder(_ path: String) -> Finding {
        var place = path
        while access(place, F_OK) != 0, errno == ENOENT, place.contains("/"), place != "/" { place = folder(of: place) }
        let isThere = place == path
        var status = stat()
        // What another user owns is the service's, as a rule: whether the service may write is not known to this one.
        if isThere, stat(place, &status) == 0, status.st_uid != geteuid(), access(place, W_OK | X_OK) != 0 {
            return Finding(
                "state folder", .skipped,
                "not checked, as \(path) belongs to another user: run doctor as the service's user, or with sudo")
        }
        guard access(place + "/.", W_OK | X_OK) == 0 else {
            let reason = SystemError.last("\(isThere ? "write into" : "make") \(path)")
            let remedy = isThere ? "`sudo chown USER \(path)`" : "`sudo install -d -m 750 -o USER \(path)`"
            return Finding(
                "state folder", .failed,
                "\(reason): run doctor as the service's user, or give it the folder by \(remedy)")
        }
        let free = Disk.freeBytes(at: place)
        if let free, free < leastRoom {
            return Finding(
                "state folder", .failed, "\(path) has room for \(free / 1000) kB only: make room on its disk")
        }
        let room = free.map { ", \($0 / 1_000_000) MB free" } ?? ""
        return Finding("state folder", .passed, isThere ? "\(path)\(room)" : "\(path) is made at the start\(room)")
    }

    /// The free space for some logs and a registry, in bytes.
    private static let leastRoom: UInt64 = 8 << 20
}
