/// The state of a room's occupancy sensor.
///
/// The payload is one of two words, and not JSON: Home Assistant and others publish these states. The words may be in capital letters.
package enum Occupancy: String, Sendable, CaseIterable {
    /// Somebody is in the room, or something moves there.
    case on
    /// Neither.
    case off

    package var bytes: [UInt8] { Array(rawValue.utf8) }

    /// Reads a payload; `nil` for anything but the two words.
    package init?(parsing bytes: [UInt8]) {
        switch String(decoding: bytes, as: UTF8.self) {
        case "on", "ON": self = .on
        case "off", "OFF": self = .off
        default: return nil
        }
    }
}
