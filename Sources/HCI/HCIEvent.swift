/// The numbers of a controller's reports on the wire (Core 5.4, Vol 4).
public enum HCIEvent {
    /// The indicator before each event on a serial line and in H4 recordings (H4; Part A, 2).
    public static let indicator: UInt8 = 0x04
    /// The event that contains all Low Energy events (Part E, 7.7.65).
    public static let lowEnergyMeta: UInt8 = 0x3E
    /// LE Advertising Report (7.7.65.2), a subevent.
    public static let advertisingReport: UInt8 = 0x02
    /// LE Directed Advertising Report (7.7.65.11), a subevent.
    public static let directedAdvertisingReport: UInt8 = 0x0B
    /// LE Extended Advertising Report (7.7.65.13), a subevent.
    public static let extendedAdvertisingReport: UInt8 = 0x0D
    /// The value of an RSSI or a TX power that the controller does not report.
    public static let noMeasurement: Int8 = 127
}
