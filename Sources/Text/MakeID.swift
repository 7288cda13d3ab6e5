import Beacons
import CCrypto
import CUTF8Proc
import Glibc

/// The kind of an id: its first word if the name yields none.
package enum IDKind: String, Sendable {
    case item
    case region
    /// A room, in the topic of its occupancy sensor.
    case room
    case person
    case gateway
}

/// Makes an id from a name: NFKD without combining marks, lower case, each run of characters outside `[a-z0-9_.-]`
/// becomes `-`, trimmed.
///
/// `Küche` becomes `kuche`. Scripts whose vowels are combining marks lose nothing, because their letters cannot be part
/// of an id either. The result matches `[a-z0-9][a-z0-9_.-]{0,63}`; a longer id is cut. If nothing is left, the id is
/// `item-` or `region-` and the first 6 hexadecimal digits of the SHA-256 of `identity`. If the id is taken, the first
/// free suffix of `-2`, `-3` … is appended; `isTaken` must leave one free.
/// - Parameter identity: `uuid/major/minor`, without missing parts of a region: `BeaconIdentity.description`,
///   `Region.Scope.identity`.
package func makeID(
    from name: String, kind: IDKind, identity: String, isTaken: (String) -> Bool = { _ in false }
) -> String {
    let id = makeID(from: name) ?? "\(kind.rawValue)-\(sha256Prefix(of: identity))"
    guard isTaken(id) else { return id }
    for number in 2... {
        let suffix = "-\(number)"
        var candidate = id.prefix(maximumLength - suffix.utf8.count)
        while candidate.last == "-" { candidate.removeLast() }
        if !isTaken(candidate + suffix) { return candidate + suffix }
    }
    fatalError("every id is taken")
}

extension Region.Scope {
    /// `uuid/major/minor` without missing parts: the text that a region's id is hashed from if its identifier yields
    /// none.
    package var identity: String {
        switch self {
        case .uuid(let uuid): "\(uuid)"
        case .major(let uuid, let major): "\(uuid)/\(major)"
        case .beacon(let identity): "\(identity)"
        }
    }
}

private let maximumLength = 64

/// The part of `name` that may form an id, with each run of other characters as one `-`; `nil` if nothing is left.
package func makeID(from name: String) -> String? { makeID(of: decomposed(name, droppingMarks: true)) }

/// The id that earlier versions made from `name`, when combining marks were not dropped: `Küche` became `ku-che`.
package func makeFormerID(from name: String) -> String? { makeID(of: decomposed(name, droppingMarks: false)) }

private func makeID(of bytes: [UInt8]) -> String? {
    var id = ""
    var isAfterOthers = false
    for byte in bytes {
        // A character whose lower case is an ASCII letter has already been decomposed to the upper-case letter.
        let lower = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        switch lower {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
            if isAfterOthers { id.append("-") }
            isAfterOthers = false
            id.unicodeScalars.append(Unicode.Scalar(lower))
        default:
            isAfterOthers = true
        }
    }
    // A run at the end would be trimmed, so it was never appended.
    var trimmed = id.drop { $0 == "-" || $0 == "_" || $0 == "." }.prefix(maximumLength)
    while trimmed.last == "-" { trimmed.removeLast() }
    return trimmed.isEmpty ? nil : String(trimmed)
}

/// The UTF-8 of `name` in normalisation form KD, with or without combining marks; empty if memory is exhausted.
private func decomposed(_ name: String, droppingMarks: Bool) -> [UInt8] {
    var source = name
    return source.withUTF8 { utf8 in
        var result: UnsafeMutablePointer<utf8proc_uint8_t>?
        let options =
            UTF8PROC_STABLE.rawValue | UTF8PROC_DECOMPOSE.rawValue | UTF8PROC_COMPAT.rawValue
            | (droppingMarks ? UTF8PROC_STRIPMARK.rawValue : 0)
        let length = utf8proc_map(
            utf8.baseAddress, utf8proc_ssize_t(utf8.count), &result, utf8proc_option_t(rawValue: options))
        defer { free(result) }
        guard length > 0, let result else { return [] }
        return Array(UnsafeBufferPointer(start: result, count: length))
    }
}

/// The first 6 hexadecimal digits of the SHA-256 of `text`.
private func sha256Prefix(of text: String) -> String {
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    var source = text
    _ = source.withUTF8 { SHA256($0.baseAddress, $0.count, &digest) }
    return digest.prefix(3).reduce(into: "") { hexadecimal, byte in
        hexadecimal.unicodeScalars.append(Unicode.Scalar(hexadecimalDigit(of: byte >> 4)))
        hexadecimal.unicodeScalars.append(Unicode.Scalar(hexadecimalDigit(of: byte)))
    }
}
