extension FixedWidthInteger {
    /// The integer's bytes with the most significant byte first, as in beacon frames and btsnoop files.
    public var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
