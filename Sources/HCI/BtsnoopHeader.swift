import Beacons

/// What a btsnoop file begins with:
///
///       0 ... 7       8 ... 11       12 ... 15
///     +-------------+--------------+-----------+
///     | btsnoop NUL | version: 1   | datalink  |     big-endian, as everything in it
///     +-------------+--------------+-----------+
public struct BtsnoopHeader: Hashable, Sendable {
    /// In which form the packets are there.
    public enum Datalink: UInt32, Sendable {
        /// HCI packets without an indicator; the record's flags say which kind and which way.
        case hci = 1001
        /// HCI packets as on a serial line, behind an indicator.
        case h4 = 1002
        /// What the Linux kernel's monitor says, packets and much else; the record's flags are the adapter's number and an opcode.
        case monitor = 2001
    }

    /// How long it is, in bytes.
    public static let length = 16
    private static let magic: [UInt8] = [0x62, 0x74, 0x73, 0x6E, 0x6F, 0x6F, 0x70, 0x00]

    /// In which form the packets are there.
    public var datalink: Datalink

    /// The header of a file with packets of this form.
    public init(datalink: Datalink) {
        self.datalink = datalink
    }

    /// Reads the first 16 bytes of a file; a file of another kind is told from one that is cut, as far as its bytes go.
    public init(_ bytes: RawSpan) throws(BtsnoopProblem) {
        let isBtsnoop = Self.magic.indices.allSatisfy { $0 >= bytes.byteCount || bytes.byte(at: $0) == Self.magic[$0] }
        guard isBtsnoop else { throw .notBtsnoop }
        guard bytes.byteCount >= Self.length else { throw .cutHeader }
        let version: UInt32 = bytes.bigEndian(at: 8)
        guard version == 1 else { throw .unsupportedVersion(version) }
        let number: UInt32 = bytes.bigEndian(at: 12)
        guard let datalink = Datalink(rawValue: number) else { throw .unsupportedDatalink(number) }
        self.init(datalink: datalink)
    }

    /// Its 16 bytes.
    public var bytes: [UInt8] { Self.magic + UInt32(1).bigEndianBytes + datalink.rawValue.bigEndianBytes }
}
