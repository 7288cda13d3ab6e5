import Beacons

/// The header of a btsnoop file:
///
///       0 ... 7       8 ... 11       12 ... 15
///     +-------------+--------------+-----------+
///     | btsnoop NUL | version: 1   | datalink  |     big-endian, as everything in it
///     +-------------+--------------+-----------+
public struct BtsnoopHeader: Hashable, Sendable {
    /// The format of the packets in the file.
    public enum Datalink: UInt32, Sendable {
        /// HCI packets without an indicator; the flags of a record are the kind and the direction of its packet.
        case hci = 1001
        /// HCI packets behind an indicator, as on a serial line.
        case h4 = 1002
        /// Records of the Linux kernel's monitor: packets and other notes. The flags are the adapter's number and an
        /// opcode.
        case monitor = 2001
    }

    /// The length of the header in bytes.
    public static let length = 16
    private static let magic: [UInt8] = [0x62, 0x74, 0x73, 0x6E, 0x6F, 0x6F, 0x70, 0x00]

    /// The format of the packets in the file.
    public var datalink: Datalink

    /// Creates the header of a file with packets in this format.
    public init(datalink: Datalink) {
        self.datalink = datalink
    }

    /// Reads the first 16 bytes of a file. Another type of file and a cut btsnoop file cause different problems, as far
    /// as the bytes allow.
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

    /// The 16 bytes of the header.
    public var bytes: [UInt8] { Self.magic + UInt32(1).bigEndianBytes + datalink.rawValue.bigEndianBytes }
}
