/// Google's Eddystone-TLM without encryption, as service data (Eddystone Protocol Specification, tlm-plain):
///
///       0        1      2    3     4       5         6   7         8   9         10 ... 13   14 ... 17
///     +--------+------+-----------+-------+---------+-------------+-------------+-----------+-------------+
///     | 0x11   | 0x16 | AA FE     | 0x20  | 0x00    | battery     | temperature | adverts   | since start |
///     +--------+------+-----------+-------+---------+-------------+-------------+-----------+-------------+
///                       0xFEAA      frame   version   big-endian,   big-endian,
///                                   type              mV            1/256 °C
///
/// A battery of 0 and a temperature of 0x8000, -128 °C, mean that the tag does not measure them; neither is believed.
/// Version 1 is encrypted.
enum EddystoneTelemetryLayout {
    static let frame: UInt8 = 0x20
    static let version: UInt8 = 0x00
    /// The number of bytes from the service's UUID to the end.
    static let length = 16

    static func read(_ structure: ADStructure, in data: RawSpan) -> TagReadings {
        let start = structure.content.lowerBound
        guard structure.content.count == length, data.byte(at: start + 2) == frame,
            data.byte(at: start + 3) == version
        else { return TagReadings() }
        let degrees256ths = data.bigEndian(at: start + 6, as: Int16.self)
        return TagReadings.believed(
            millivolts: data.bigEndian(at: start + 4), tenths: (Int(degrees256ths) * 10 + 128) >> 8)
    }
}
