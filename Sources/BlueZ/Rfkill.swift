import Linux

/// The kernel's rfkill switch of one radio.
package struct Rfkill: Hashable, Sendable {
    /// Whether software blocks the radio: `rfkill unblock bluetooth` unblocks it.
    package var soft: Bool
    /// Whether a hardware switch blocks the radio.
    package var hard: Bool

    package init(soft: Bool, hard: Bool) {
        (self.soft, self.hard) = (soft, hard)
    }

    package var isBlocked: Bool { soft || hard }

    /// Reads the switch of an adapter's folder, such as `/sys/class/bluetooth/hci0`; `nil` if there is none.
    init?(folder: String) {
        // The kernel numbers the switches of all radios in the order of their arrival.
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
