/// What a tag reports about itself beside its identity; each value is `nil` if the tag has not reported it.
///
/// A tag sends the values in the same advertisement as its beacon frame, or from the same address in another one: no
/// format of such values has an identity.
public struct TagReadings: Hashable, Sendable {
    /// The charge of the battery in per cent, 0 to 100.
    public var batteryPercent: UInt8?
    /// The voltage of the battery in mV, within `voltages`.
    public var batteryMillivolts: UInt16?
    /// The temperature in tenths of a degree Celsius, within `temperatures`.
    public var temperatureTenths: Int16?

    /// The voltages that are believed, in mV. No radio runs below: a lower value is a percentage in the wrong field, or
    /// the voltage of a cell of 1.5 V behind a converter, which cannot be compared with that of other cells.
    public static let voltages: ClosedRange<UInt16> = 1600...6000
    /// The temperatures that are believed, in tenths of a degree.
    public static let temperatures: ClosedRange<Int16> = -1000...1250

    /// Creates readings from all their properties.
    @inlinable
    public init(batteryPercent: UInt8? = nil, batteryMillivolts: UInt16? = nil, temperatureTenths: Int16? = nil) {
        self.batteryPercent = batteryPercent
        self.batteryMillivolts = batteryMillivolts
        self.temperatureTenths = temperatureTenths
    }

    /// Reads the values in an advertisement's `data`; `nil` if there are none, as in nearly all advertisements.
    ///
    /// A value that its format marks as not supported, and one that cannot be, is left out. A structure of the wrong
    /// length is ignored.
    @inlinable
    public init?(in data: RawSpan) {
        self.init()
        var structures = ADStructures()
        while let structure = structures.next(in: data) {
            if structure.type == ADType.serviceData16, structure.content.count >= 3 {
                update(with: Self.read(structure, in: data))
            }
        }
        guard hasAny else { return nil }
    }

    /// Whether the tag has reported anything.
    public var hasAny: Bool { self != TagReadings() }

    /// Whether the tag has reported its battery.
    public var hasBattery: Bool { batteryPercent != nil || batteryMillivolts != nil }

    /// Replaces each value that `newer` has.
    public mutating func update(with newer: TagReadings) {
        batteryPercent = newer.batteryPercent ?? batteryPercent
        batteryMillivolts = newer.batteryMillivolts ?? batteryMillivolts
        temperatureTenths = newer.temperatureTenths ?? temperatureTenths
    }

    /// Reads one structure of service data with at least one byte behind the service's UUID.
    @usableFromInline
    static func read(_ structure: ADStructure, in data: RawSpan) -> TagReadings {
        switch data.littleEndian(at: structure.content.lowerBound, as: UInt16.self) {
        case EddystoneLayout.service where data.byte(at: structure.content.lowerBound + 2) == KKMLayout.frame:
            KKMLayout.read(structure, in: data)
        case EddystoneLayout.service: EddystoneTelemetryLayout.read(structure, in: data)
        case BTHomeLayout.service: BTHomeLayout.read(structure, in: data)
        case MinewLayout.service: MinewLayout.read(structure, in: data)
        case KontaktLayout.service: KontaktLayout.read(structure, in: data)
        case EstimoteLayout.service: EstimoteLayout.read(structure, in: data)
        case batteryService where structure.content.count == 3:
            believed(percent: data.byte(at: structure.content.lowerBound + 2))
        default: TagReadings()
        }
    }

    /// The Battery Service. Its service data is the one byte of the Battery Level characteristic, in per cent.
    static let batteryService: UInt16 = 0x180F

    /// Returns readings of values as formats have them, without those that cannot be.
    static func believed(percent: UInt8? = nil, millivolts: UInt16? = nil, tenths: Int? = nil) -> TagReadings {
        TagReadings(
            batteryPercent: percent.flatMap { $0 <= 100 ? $0 : nil },
            batteryMillivolts: millivolts.flatMap { Self.voltages.contains($0) ? $0 : nil },
            temperatureTenths: tenths.flatMap { Int16(exactly: $0) }.flatMap {
                Self.temperatures.contains($0) ? $0 : nil
            })
    }
}
