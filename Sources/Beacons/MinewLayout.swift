/// The frames in which tags of the maker Minew report their state, as service data:
///
///       0        1      2    3     4       5       6         7 ...
///     +--------+------+-----------+-------+-------+---------+-------------------------
///     | n      | 0x16 | E1 FF     | 0xA1  | model | battery | by the model, and the address
///     +--------+------+-----------+-------+-------+---------+-------------------------
///                       0xFFE1      frame           per cent
///
/// Nobody owns the service 0xFFE1, so a frame of another length than its model's is ignored.
enum MinewLayout {
    static let service: UInt16 = 0xFFE1
    static let frame: UInt8 = 0xA1

    private enum Model {
        /// The temperature follows, big-endian in 1/256 °C.
        static let thermometer: UInt8 = 1
        static let lightSensor: UInt8 = 2
        static let accelerometer: UInt8 = 3
        /// The tag's name follows the address.
        static let information: UInt8 = 8
    }

    static func read(_ structure: ADStructure, in data: RawSpan) -> TagReadings {
        let (start, count) = (structure.content.lowerBound, structure.content.count)
        guard count >= 11, data.byte(at: start + 2) == frame else { return TagReadings() }
        let percent = data.byte(at: start + 4)
        return switch (data.byte(at: start + 3), count) {
        case (Model.thermometer, 15):
            TagReadings.believed(
                percent: percent, tenths: (Int(data.bigEndian(at: start + 5, as: Int16.self)) * 10 + 128) >> 8)
        case (Model.lightSensor, 12), (Model.accelerometer, 17), (Model.information, _):
            TagReadings.believed(percent: percent)
        default: TagReadings()
        }
    }
}
