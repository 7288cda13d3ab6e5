/// The numbers by which a controller's reports are known on the wire (Core 5.4, Vol 4).
public enum HCIEvent {
    /// What an event begins with on a serial line, and in a recording of one (H4; Part A, 2).
    public static let indicator: UInt8 = 0x04
    /// The event that all events of Low Energy are inside of (Part E, 7.7.65).
    public static let lowEnergyMeta: UInt8 = 0x3E
    /// LE Advertising Report (7.7.65.2), a subevent.
    public static let advertisingReport: UInt8 = 0x02
    /// LE Directed Advertising Report (7.7.65.11), a subevent.
    public static let directedAdvertisingReport: UInt8 = 0x0B
    /// LE Extended Advertising Report (7.7.65.13), a subevent.
    public static let extendedAdvertisingReport: UInt8 = 0x0D
    /// What an RSSI reads, or a TX power, where the controller has none to give.
    public static let noMeasurement: Int8 = 127
}
