/// The types of AD structures that are read or written here (Assigned Numbers, 2.3).
public enum ADType {
    /// What the sender can do, one byte of bits.
    public static let flags: UInt8 = 0x01
    /// All the 16-bit service UUIDs that the sender has.
    public static let completeServices16: UInt8 = 0x03
    /// The beginning of the sender's name.
    public static let shortenedName: UInt8 = 0x08
    /// The sender's whole name.
    public static let completeName: UInt8 = 0x09
    /// A 16-bit service UUID, and data whose form that service defines.
    public static let serviceData16: UInt8 = 0x16
    /// A company id, and data whose form that company defines.
    public static let manufacturerData: UInt8 = 0xFF
}
