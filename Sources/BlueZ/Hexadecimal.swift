import Beacons

/// `0x0c`: as the specifications and btmon write status codes.
func hexadecimal(_ byte: UInt8) -> String {
    var text = "0x"
    for nibble in [byte >> 4, byte] { text.unicodeScalars.append(Unicode.Scalar(hexadecimalDigit(of: nibble))) }
    return text
}
