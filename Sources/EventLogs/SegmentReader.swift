import Beacons

/// Reads the frames of a segment with any damage: bytes that are not part of a valid frame are skipped and counted.
package struct SegmentReader: Sendable {
    private let bytes: [UInt8]
    /// The offset at which the search for the next frame begins.
    package private(set) var offset: Int
    /// The number of bytes that are not part of a valid frame.
    package private(set) var damaged = 0

    /// Creates a reader at `offset`, where a frame should begin.
    package init(_ bytes: [UInt8], from offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    /// The next valid frame; `nil` behind the last one.
    package mutating func next() -> Frame? {
        while offset + Frame.headerLength <= bytes.count {
            if let (frame, end) = frame(at: offset) {
                offset = end
                return frame
            }
            damaged += 1
            offset += 1
        }
        damaged += bytes.count - offset
        offset = bytes.count
        return nil
    }

    private func frame(at start: Int) -> (Frame, end: Int)? {
        let span = bytes.span.bytes
        guard span.littleEndian(at: start, as: UInt32.self) == Frame.mark else { return nil }
        let length = Int(span.littleEndian(at: start + 4, as: UInt32.self))
        let (body, end) = (start + Frame.headerLength, start + Frame.headerLength + length)
        guard length <= Frame.longestBody, end <= bytes.count,
            checksum(span, from: body, to: end) == span.littleEndian(at: start + 8, as: UInt32.self)
        else { return nil }
        var fields = BodyReader(bytes[body..<end])
        return Frame(reading: &fields).map { ($0, end) }
    }
}

extension Frame {
    fileprivate init?(reading fields: inout BodyReader) {
        guard let boot = fields.word(), let first: UInt64 = fields.number(), first > 0, first < 1 << 53,
            let uptime: Int64 = fields.number(), let wall: Int64 = fields.number(),
            let isSynchronised: UInt8 = fields.number(), let deliveredBoot = fields.word(),
            let deliveredSeq: UInt64 = fields.number(), let count: UInt16 = fields.number()
        else { return nil }
        // The limits are about seventy years of uptime and ±4,460 years of wall time, so sums of two values stay in
        // range.
        guard (0..<1 << 41).contains(uptime), (-(1 << 47)..<1 << 47).contains(wall) else { return nil }
        self.boot = boot
        self.first = first
        writtenAt = WrittenAt(
            uptime: Instant(milliseconds: uptime), wall: WallTime(milliseconds: wall),
            isSynchronised: isSynchronised == 1)
        delivered = deliveredBoot.isEmpty ? nil : Place(boot: deliveredBoot, seq: deliveredSeq)
        entries = []
        entries.reserveCapacity(Int(count))
        for index in 0..<UInt64(count) {
            guard let topicLength: UInt16 = fields.number(), let payloadLength: UInt32 = fields.number(),
                let topic = fields.read(Int(topicLength)), let payload = fields.read(Int(payloadLength))
            else { return nil }
            entries.append(
                Entry(
                    Place(boot: boot, seq: first + index), topic: String(decoding: topic, as: UTF8.self),
                    payload: Array(payload)))
        }
    }
}

/// Reads fields from the front of a body; `nil` if the body is too short.
private struct BodyReader {
    private var rest: ArraySlice<UInt8>

    init(_ body: ArraySlice<UInt8>) {
        rest = body
    }

    mutating func read(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func number<Number: FixedWidthInteger>() -> Number? {
        read(Number.bitWidth / 8)?.reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    mutating func word() -> String? {
        guard let length: UInt8 = number(), let bytes = read(Int(length)) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
