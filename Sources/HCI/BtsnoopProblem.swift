/// Why a recording cannot be read; the description follows the name of the file.
public enum BtsnoopProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file does not begin like a btsnoop file.
    case notBtsnoop
    /// The file ends within its header.
    case cutHeader
    /// The header has an undefined version.
    case unsupportedVersion(UInt32)
    /// The packets have an unsupported format.
    case unsupportedDatalink(UInt32)
    /// The file ends within this record, counted from 1. The records before it are valid.
    case cutRecord(UInt64)
    /// This record claims to be longer than any packet, so the next record cannot be found. The records before it are
    /// valid.
    case absurdLength(record: UInt64, bytes: UInt32)

    /// The problem as the rest of a sentence that begins with the name of the file.
    public var description: String {
        switch self {
        case .notBtsnoop: "is not a btsnoop file; record one with btmon -w or Wireshark"
        case .cutHeader: "is not a recording: it ends within the 16 bytes of btsnoop's header"
        case .unsupportedVersion(let version): "is a btsnoop file of version \(version); only version 1 is supported"
        case .unsupportedDatalink(let datalink):
            "is a btsnoop file of datalink \(datalink); only 1001 (HCI), 1002 (HCI UART, H4) and 2001 (Linux monitor) are supported"
        case .cutRecord(let number): "ends in the middle of record \(number)"
        case .absurdLength(let number, let bytes):
            "claims that record \(number) is \(bytes) bytes long, longer than any packet; the rest cannot be read"
        }
    }
}
