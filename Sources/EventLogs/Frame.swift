import Beacons

/// Consecutive events of one run that were written together. A segment is a sequence of frames.
///
/// Each frame can be read independently, so a damaged frame does not affect the frames around it.
///
///      0  4  "FMN1"
///      4  4  n, the length of the body               all numbers: least significant byte first
///      8  4  CRC-32C of the body
///     12  n  body:
///            1      b, and b bytes: the run id in ASCII
///            8      the number of the first event
///            8 8 1  time of writing: uptime in ms, ms since 1970, 1 if that clock was synchronised
///            1 8    d, d bytes and a number: the run id and number of the last delivered event; d = 0: unknown
///            2      the number of events; 0: the frame has only the mark of delivery
///            2 4    per event: the lengths of topic and payload, then both
package struct Frame: Hashable, Sendable {
    /// The limit of events per frame, and the size in bytes at which a frame is full. A torn write loses at most one
    /// frame.
    static let mostEvents = 50
    static let fullBytes = 48 << 10
    /// The limit of a body in bytes; a longer body is damaged. The payload of an event has at most about 20 kB.
    static let longestBody = 1 << 20
    static let mark: UInt32 = 0x314E_4D46
    static let headerLength = 12

    /// The run id of the events.
    package var boot: String
    /// The number of the first event; the others have consecutive numbers.
    package var first: UInt64
    package var writtenAt: WrittenAt
    /// The last delivered event at the time of writing, if known; all events before it are delivered, too.
    package var delivered: Place?
    package var entries: [Entry]

    /// The numbers of the events; `nil` for a frame without events.
    package var seqs: ClosedRange<UInt64>? {
        entries.isEmpty ? nil : first...first + UInt64(entries.count - 1)
    }

    package var bytes: [UInt8] {
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

    /// Appends a run id behind its length. A run id has about nine bytes, so one that does not fit is a programming
    /// error.
    fileprivate mutating func append(word: String) {
        append(UInt8(word.utf8.count))
        self += word.utf8
    }
}
