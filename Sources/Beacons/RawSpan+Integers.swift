// What every decoder reads with. The standard library checks these loads against the span's end and traps beyond it: a decoder asks
// for the length first and refuses by name, and a decoder of ours that forgot to ask stops the program instead of reading on.
extension RawSpan {
    /// The byte at `offset`.
    @inlinable
    @inline(__always)
    public func byte(at offset: Int) -> UInt8 { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }

    /// The integer that begins at `offset`, its least significant byte first, as HCI has it.
    @inlinable
    @inline(__always)
    public func littleEndian<Integer: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, as type: Integer.Type = Integer.self
    ) -> Integer {
        Integer(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: type))
    }

    /// The integer that begins at `offset`, its most significant byte first, as beacons and btsnoop have it.
    @inlinable
    @inline(__always)
    public func bigEndian<Integer: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, as type: Integer.Type = Integer.self
    ) -> Integer {
        Integer(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: type))
    }
}
