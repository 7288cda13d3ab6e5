/// Whether `text` may be the id of a gateway, an item or a region: it matches `[a-z0-9][a-z0-9_.-]{0,63}`.
///
/// A valid id is safe as one level of a topic, as a file name and as an MQTT client id.
@inlinable
public func isValidID(_ text: some StringProtocol) -> Bool {
    isValidID(utf8: text.utf8)
}

/// Whether these UTF-8 bytes form a valid id.
@inlinable
public func isValidID(utf8 bytes: some Sequence<UInt8>) -> Bool {
    var length = 0
    for byte in bytes {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): break
        case UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"): if length == 0 { return false }
        default: return false
        }
        length += 1
        guard length <= 64 else { return false }
    }
    return length > 0
}
