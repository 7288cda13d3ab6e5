/// The frames in which the tags of some makers report their state, as service data. Offsets count from the service's UUID.

/// Kontakt.io's scan response of older tags: 4 bytes of an id and 2 of the firmware's version, then the battery in per cent.
enum KontaktLayout {
    static let service: UInt16 = 0xD00D

    static func read(_ structure: ADStructure, in data: RawSpan) -> TagReadings {
        guard structure.content.count == 9 else { return TagReadings() }
        return TagReadings.believed(percent: data.byte(at: structure.content.lowerBound + 8))
    }
}

/// The sensor frame of KKM, whose tags Blue Charm sells. A mask has a bit for each value that follows; the first is the voltage.
///
///       0    1     2      3         4      5       6
///     +-----------+------+---------+------+---------------+----
///     | AA FE     | 0x21 | version | mask | big-endian mV |
///     +-----------+------+---------+------+---------------+----
enum KKMLayout {
    static let frame: UInt8 = 0x21

    static func read(_ structure: ADStructure, in data: RawSpan) -> TagReadings {
        let start = structure.content.lowerBound
        guard structure.content.count >= 7, data.byte(at: start + 4) & 1 == 1 else { return TagReadings() }
        return TagReadings.believed(millivolts: data.bigEndian(at: start + 5))
    }
}

/// Subframe B of Estimote Telemetry. Its values lie across bytes, the lowest bits first; all ones: not measured.
///
///       0    1     2                3 ... 10   11         17        18     19      20     21
///     +-----------+----------------+----------+--------+---------+-------+-------+------+---------+
///     | 9A FE     | version | 0x2  | id       | ... 01 | 2 bits  | 8     | 2 | 6 | 8    | battery |
///     +-----------+----------------+----------+--------+---------+-------+-------+------+---------+
///                   4 bits    4                          temperature, 1/16 °C  mV         per cent, from version 1 on
enum EstimoteLayout {
    static let service: UInt16 = 0xFE9A

    static func read(_ structure: ADStructure, in data: RawSpan) -> TagReadings {
        let start = structure.content.lowerBound
        func byte(_ offset: Int) -> UInt16 { UInt16(data.byte(at: start + offset)) }
        guard structure.content.count == 22, byte(2) & 0xF == 2, byte(2) >> 4 <= 2, byte(11) & 3 == 1 else {
            return TagReadings()
        }
        // Twelve bits with a sign.
        let sixteenths = Int16(bitPattern: (byte(19) & 3) << 14 | byte(18) << 6 | (byte(17) >> 6) << 4) >> 4
        return TagReadings.believed(
            percent: byte(2) >> 4 >= 1 ? UInt8(byte(21)) : nil, millivolts: byte(20) << 6 | byte(19) >> 2,
            tenths: (Int(sixteenths) * 10 + 8) >> 4)
    }
}
