import Linux

/// The kernel's switch for one radio.
public struct Rfkill: Hashable, Sendable {
    /// Blocked by software: `rfkill unblock bluetooth` lifts it.
    public var soft: Bool
    /// Blocked by a switch on the case.
    public var hard: Bool

    /// A switch in a known position.
    package init(soft: Bool, hard: Bool) {
        (self.soft, self.hard) = (soft, hard)
    }

    /// Whether it is blocked by either.
    public var isBlocked: Bool { soft || hard }

    /// What the kernel says in the folder of an adapter, `/sys/class/bluetooth/hci0`; `nil` where it has no such switch.
    init?(folder: String) {
        // Numbered over all radios, in the order in which they came.
        for number in 0..<256 {
            let rfkill = "\(folder)/rfkill\(number)"
            guard let soft = Self.flag(rfkill + "/soft"), let hard = Self.flag(rfkill + "/hard") else { continue }
            (self.soft, self.hard) = (soft, hard)
            return
        }
        return nil
    }

    private static func flag(_ path: String) -> Bool? {
        guard let contents = try? readFile(at: path, limit: 16), let first = contents.first else { return nil }
        return first == UInt8(ascii: "1")
    }
}
