/// What is wrong with a recording; in words that follow the file's name.
public enum BtsnoopProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// It begins as no btsnoop file does.
    case notBtsnoop
    /// It ends before its header does.
    case cutHeader
    /// The header names a version that nobody has defined.
    case unsupportedVersion(UInt32)
    /// It holds packets in a form that is not read here.
    case unsupportedDatalink(UInt32)
    /// It ends inside this record, counted from 1; those before it are good.
    case cutRecord(UInt64)
    /// This record claims to be longer than any packet, so that where the next one begins is unknown; those before it are good.
    case absurdLength(record: UInt64, bytes: UInt32)

    /// «is not a btsnoop file …», and so on.
    public var description: String {
        switch self {
        case .notBtsnoop: "is not a btsnoop file, as btmon -w and Wireshark write them"
        case .cutHeader: "is no recording: it ends before btsnoop's header of 16 bytes does"
        case .unsupportedVersion(let version): "is a btsnoop file of version \(version); only version 1 is known"
        case .unsupportedDatalink(let datalink):
            "is a btsnoop file of datalink \(datalink); only 1001 (HCI), 1002 (HCI UART, H4) and 2001 (Linux monitor) can be read"
        case .cutRecord(let number): "ends in the middle of record \(number)"
        case .absurdLength(let number, let bytes):
            "claims that record \(number) is \(bytes) bytes long, which no packet is; nothing after it can be read"
        }
    }
}
