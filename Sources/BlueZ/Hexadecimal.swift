import Beacons

/// The byte in the notation of the specifications and btmon for status codes, such as `0x0c`.
func hexadecimal(_ byte: UInt8) -> String {
    var text = "0x"
    for nibble in [byte >> 4, byte] { text.unicodeScalars.append(Unicode.Scalar(hexadecimalDigit(of: nibble))) }
    return text
}
