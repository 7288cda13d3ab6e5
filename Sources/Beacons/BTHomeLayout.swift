/// BTHome version 2 without encryption, as service data (bthome.io/format):
///
///       0        1      2    3     4        5     6 ...        ...
///     +--------+------+-----------+--------+-----+------------+-----
///     | n      | 0x16 | D2 FC     | device | id  | value      | ...    objects in the order of their ids
///     +--------+------+-----------+--------+-----+------------+-----
///                       0xFCD2      bit 0: encrypted          values are little-endian;
///                                   bit 1: an address follows their lengths follow from their ids
///                                   bits 5 to 7: version
///
/// The length of an object with an unknown id is unknown, so such an object ends the reading, and so does a text (0x53, 0x54). The ids above the
/// last temperature are not in the table, because nothing behind them is read.
enum BTHomeLayout {
    static let service: UInt16 = 0xFCD2
    /// The bits of the device byte that must have the values of `plainVersion2`.
    static let checkedBits: UInt8 = 0b1110_0011
    static let plainVersion2: UInt8 = 0b0100_0000

    private enum Object {
        /// Per cent.
        static let battery: UInt8 = 0x01
        /// Hundredths of a degree.
        static let temperature: UInt8 = 0x02
        /// mV.
        static let voltage: UInt8 = 0x0C
        /// Tenths of a degree.
        static let coarseTemperature: UInt8 = 0x45
        /// Tenths of a volt.
        static let coarseVoltage: UInt8 = 0x4A
        /// Degrees.
        static let wholeTemperature: UInt8 = 0x57
        /// 0.35 of a degree.
        static let thirdsOfTemperature: UInt8 = 0x58
    }

    /// Returns the first value of each kind; none if an object exceeds the structure.
    static func read(_ structure: ADStructure, in data: RawSpan) -> TagReadings {
        var position = structure.content.lowerBound + 3
        guard data.byte(at: position - 1) & checkedBits == plainVersion2 else { return TagReadings() }
        var readings = TagReadings()
        while position < structure.content.upperBound, let length = length(of: data.byte(at: position)) {
            guard position + length < structure.content.upperBound else { return TagReadings() }
            let earlier = readings
            readings.update(with: object(at: position, in: data))
            readings.update(with: earlier)
            position += 1 + length
        }
        return readings
    }

    /// Reads one object, whose bytes are all in `data`.
    private static func object(at position: Int, in data: RawSpan) -> TagReadings {
        let value = position + 1
        return switch data.byte(at: position) {
        case Object.battery: TagReadings.believed(percent: data.byte(at: value))
        case Object.voltage: TagReadings.believed(millivolts: data.littleEndian(at: value))
        case Object.temperature:
            TagReadings.believed(tenths: Int((Double(data.littleEndian(at: value, as: Int16.self)) / 10).rounded()))
        case Object.coarseTemperature: TagReadings.believed(tenths: Int(data.littleEndian(at: value, as: Int16.self)))
        case Object.coarseVoltage:
            TagReadings.believed(millivolts: UInt16(clamping: Int(data.littleEndian(at: value, as: UInt16.self)) * 100))
        case Object.wholeTemperature: TagReadings.believed(tenths: Int(Int8(bitPattern: data.byte(at: value))) * 10)
        case Object.thirdsOfTemperature:
            TagReadings.believed(tenths: Int((Double(Int8(bitPattern: data.byte(at: value))) * 3.5).rounded()))
        default: TagReadings()
        }
    }

    /// The number of bytes of an object's value; `nil` for an unknown id.
    private static func length(of id: UInt8) -> Int? {
        switch id {
        case 0x00, 0x01, 0x09, 0x0F...0x11, 0x15...0x2F, 0x3A, 0x46, 0x57, 0x58: 1
        case 0x02, 0x03, 0x06...0x08, 0x0C...0x0E, 0x12...0x14, 0x3C, 0x3D, 0x3F...0x41, 0x43...0x45, 0x47...0x4A, 0x51,
            0x52, 0x56:
            2
        case 0x04, 0x05, 0x0A, 0x0B, 0x42, 0x4B: 3
        case 0x3E, 0x4C...0x50, 0x55: 4
        default: nil
        }
    }
}
