extension FixedWidthInteger {
    /// Its bytes, the most significant first, as beacons and btsnoop have them.
    public var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
