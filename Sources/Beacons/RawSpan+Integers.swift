// The loads of every decoder. The standard library traps on a load beyond the span's end, so a decoder checks the
// length first and refuses by name. A decoder that forgets the check stops the program instead of reading beyond the
// end.
extension RawSpan {
    /// The byte at `offset`.
    @inlinable
    @inline(__always)
    public func byte(at offset: Int) -> UInt8 { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }

    /// The integer that begins at `offset`, with the least significant byte first, as in HCI packets.
    @inlinable
    @inline(__always)
    public func littleEndian<Integer: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, as type: Integer.Type = Integer.self
    ) -> Integer {
        Integer(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: type))
    }

    /// The integer that begins at `offset`, with the most significant byte first, as in beacon frames and btsnoop
    /// files.
    @inlinable
    @inline(__always)
    public func bigEndian<Integer: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, as type: Integer.Type = Integer.self
    ) -> Integer {
        Integer(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: type))
    }
}

extension FixedWidthInteger {
    /// The integer's bytes with the most significant byte first, as in beacon frames and btsnoop files.
    public var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
