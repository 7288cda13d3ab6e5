import Beacons

/// Events of one boot that were written together: what a segment of the log consists of, one frame behind the other.
///
/// Each frame stands for itself, so that those around a damaged one can still be read.
///
///      0  4  "FMN1"
///      4  4  n, the length of the body               all numbers: least significant byte first
///      8  4  CRC-32C of the body
///     12  n  body:
///            1      b, and b bytes: the boot's word in ASCII
///            8      the number of the first event
///            8 8 1  when it was written: ms since the boot began, ms since 1970, 1 if that clock was synchronised
///            1 8    d, d bytes and a number: all events up to that of that boot are delivered; d = 0: none is known to be
///            2      how many events follow; 0: the frame only says what was delivered
///            2 4    of each: the lengths of its topic and its payload, then both
public struct Frame: Hashable, Sendable {
    /// The most events of one frame, and the size at which it takes no more: what a torn write can cost together.
    static let mostEvents = 50
    static let fullBytes = 48 << 10
    /// A longer body is none that was written: an event's payload is at most some 20 kB.
    static let longestBody = 1 << 20
    static let mark: UInt32 = 0x314E_4D46
    static let headerLength = 12

    /// The boot that numbered the events.
    public var boot: String
    /// The first event's number; the others follow.
    public var first: UInt64
    /// When it was written.
    public var writtenAt: WrittenAt
    /// The event up to which all was delivered by then, as far as was known.
    public var delivered: Place?
    /// The events.
    public var entries: [Entry]

    /// The numbers of its events; `nil` where there are none.
    public var seqs: ClosedRange<UInt64>? {
        entries.isEmpty ? nil : first...first + UInt64(entries.count - 1)
    }

    /// The frame as it stands in a segment.
    public var bytes: [UInt8] {
        var body: [UInt8] = []
        body.append(word: boot)
        body.append(first)
        body.append(writtenAt.uptime.milliseconds)
        body.append(writtenAt.wall.milliseconds)
        body.append(UInt8(writtenAt.isSynchronised ? 1 : 0))
        body.append(word: delivered?.boot ?? "")
        body.append(delivered?.seq ?? 0)
        body.append(UInt16(entries.count))
        for entry in entries {
            body.append(UInt16(entry.topic.utf8.count))
            body.append(UInt32(entry.payload.count))
            body += entry.topic.utf8
            body += entry.payload
        }
        var frame: [UInt8] = []
        frame.reserveCapacity(Self.headerLength + body.count)
        frame.append(Self.mark)
        frame.append(UInt32(body.count))
        frame.append(checksum(body.span.bytes, from: 0, to: body.count))
        return frame + body
    }
}

extension [UInt8] {
    fileprivate mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    /// A boot's word is nine bytes or so; more than fit the length are our own mistake.
    fileprivate mutating func append(word: String) {
        append(UInt8(word.utf8.count))
        self += word.utf8
    }
}
