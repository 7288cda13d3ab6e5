/// The AD types that this project reads and writes (Assigned Numbers, 2.3).
public enum ADType {
    /// The sender's capabilities: one byte of flags.
    public static let flags: UInt8 = 0x01
    /// The complete list of the sender's 16-bit service UUIDs.
    public static let completeServices16: UInt8 = 0x03
    /// The beginning of the sender's name.
    public static let shortenedName: UInt8 = 0x08
    /// The sender's complete name.
    public static let completeName: UInt8 = 0x09
    /// A 16-bit service UUID, and data whose format that service defines.
    public static let serviceData16: UInt8 = 0x16
    /// A company id, and data whose format that company defines.
    public static let manufacturerData: UInt8 = 0xFF
}
