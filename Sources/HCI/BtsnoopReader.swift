import Beacons

/// Reads the event packets of a btsnoop recording incrementally; commands, data and the monitor's notes are skipped.
///
/// The layout of a record, behind the file's header:
///
///       0 ... 3     4 ... 7     8 ... 11   12 ... 15   16 ... 23      24 ...
///     +-----------+-----------+----------+-----------+--------------+----------------+
///     | length it | length    | flags    | lost so   | microseconds | packet         |     big-endian
///     | once had  | here      |          | far       | since year 0 |                |
///     +-----------+-----------+----------+-----------+--------------+----------------+
///
/// The reader stores only bytes that are not read yet. A caller that feeds on request needs memory for one piece and
/// one packet.
public struct BtsnoopReader: Sendable {
    /// The next step of reading.
    public enum Step: Hashable, Sendable {
        /// An event that was recorded at this time; `withEvent` has its bytes.
        case event(at: CaptureTime)
        /// More bytes are needed: call `feed`, or `finish` at the end of the file.
        case needsBytes
        case ended
    }

    /// The length of the longest HCI packet: an indicator, 4 bytes of header and 65,535 of data.
    private static let longestPacket: UInt32 = 65_540
    private static let recordHeader = 24

    /// The number of records of all kinds so far.
    public private(set) var records: UInt64 = 0
    private var header: BtsnoopHeader?
    private var bytes: [UInt8] = []
    /// The offset of the next record in `bytes`; `event` is the range of the last event, without an indicator.
    private var position = 0
    private var event = 0..<0
    private var isFinished = false
    private var problem: BtsnoopProblem?

    /// Creates a reader at the beginning of a file.
    public init() {}

    /// Appends the next piece of the file. This discards the last event.
    public mutating func feed(_ piece: RawSpan) {
        event = 0..<0
        bytes.removeFirst(position)
        position = 0
        piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    /// Marks the end of the file.
    public mutating func finish() { isFinished = true }

    /// Reads up to the next event. A problem ends the recording, and later calls throw it again.
    public mutating func next() throws(BtsnoopProblem) -> Step {
        if let problem { throw problem }
        do {
            return try step()
        } catch {
            problem = error
            throw error
        }
    }

    /// Calls `body` with the last event, without H4's indicator; the span is empty if there is none.
    public func withEvent<Result>(_ body: (RawSpan) -> Result) -> Result {
        body(bytes.span.bytes.extracting(event))
    }

    private mutating func step() throws(BtsnoopProblem) -> Step {
        if header == nil {
            guard bytes.count >= BtsnoopHeader.length || isFinished else { return .needsBytes }
            header = try BtsnoopHeader(bytes.span.bytes)
            position = BtsnoopHeader.length
        }
        while let length = try lengthOfNextRecord() {
            let time = CaptureTime(btsnoop: bytes.span.bytes.bigEndian(at: position + 16))
            let packet = position + Self.recordHeader..<position + Self.recordHeader + length
            let flags: UInt32 = bytes.span.bytes.bigEndian(at: position + 8)
            position = packet.upperBound
            records += 1
            if let event = event(in: packet, flags: flags) {
                self.event = event
                return .event(at: time)
            }
        }
        return isFinished ? .ended : .needsBytes
    }

    /// The length of the next record's packet; `nil` if the record is missing or incomplete.
    private func lengthOfNextRecord() throws(BtsnoopProblem) -> Int? {
        let number = records + 1
        let rest = bytes.count - position
        guard rest >= Self.recordHeader else {
            if isFinished && rest > 0 { throw .cutRecord(number) }
            return nil
        }
        let length: UInt32 = bytes.span.bytes.bigEndian(at: position + 4)
        guard length <= Self.longestPacket else { throw .absurdLength(record: number, bytes: length) }
        guard rest >= Self.recordHeader + Int(length) else {
            if isFinished { throw .cutRecord(number) }
            return nil
        }
        return Int(length)
    }

    /// The range of the event within a packet; `nil` for a packet of another kind.
    private func event(in packet: Range<Int>, flags: UInt32) -> Range<Int>? {
        switch header?.datalink {
        // Bit 0 means from the controller. Bit 1 means a command or an event.
        case .hci: flags & 0b11 == 0b11 ? packet : nil
        case .h4: !packet.isEmpty && bytes[packet.lowerBound] == HCIEvent.indicator ? packet.dropFirst() : nil
        // The upper half is the adapter's number, the lower half the opcode.
        case .monitor: flags & 0xFFFF == 3 ? packet : nil
        case nil: nil
        }
    }
}
