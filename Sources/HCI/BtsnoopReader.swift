import Beacons

/// Reads the event packets of a btsnoop recording from its bytes as they come; commands, data and the monitor's notes are passed over.
///
/// A record, behind the file's header:
///
///       0 ... 3     4 ... 7     8 ... 11   12 ... 15   16 ... 23      24 ...
///     +-----------+-----------+----------+-----------+--------------+----------------+
///     | length it | length    | flags    | lost so   | microseconds | packet         |     big-endian
///     | once had  | here      |          | far       | since year 0 |                |
///     +-----------+-----------+----------+-----------+--------------+----------------+
///
/// It holds what it was fed and has not read yet, and no more: a caller that feeds when asked holds one piece and one packet.
public struct BtsnoopReader: Sendable {
    /// What comes next.
    public enum Step: Hashable, Sendable {
        /// An event, recorded then: its bytes are in `withEvent`.
        case event(at: CaptureTime)
        /// More of the file is wanted: `feed`, or `finish` if there is none.
        case needsBytes
        /// The file is over.
        case ended
    }

    /// The longest packet that HCI knows: an indicator, 4 bytes of header and 65,535 of data.
    private static let longestPacket: UInt32 = 65_540
    private static let recordHeader = 24

    /// How many records there were so far, of any kind.
    public private(set) var records: UInt64 = 0
    private var header: BtsnoopHeader?
    private var bytes: [UInt8] = []
    /// Where in `bytes` the next record begins, and where the event lies that came last, without an indicator.
    private var position = 0
    private var event = 0..<0
    private var isFinished = false
    private var problem: BtsnoopProblem?

    /// A reader at a file's beginning.
    public init() {}

    /// Takes the next piece of the file. The event that came last is gone.
    public mutating func feed(_ piece: RawSpan) {
        event = 0..<0
        bytes.removeFirst(position)
        position = 0
        piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    /// Says that there is no more of the file.
    public mutating func finish() { isFinished = true }

    /// Goes to the next event. A problem ends the recording, and is thrown again if asked again.
    public mutating func next() throws(BtsnoopProblem) -> Step {
        if let problem { throw problem }
        do {
            return try step()
        } catch {
            problem = error
            throw error
        }
    }

    /// The event that `next` came to, without H4's indicator; empty if there is none.
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

    /// How long the next record's packet is; `nil` if the record is not there, or not whole yet.
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

    /// Where the event lies in a packet; `nil` if it is a packet of another kind.
    private func event(in packet: Range<Int>, flags: UInt32) -> Range<Int>? {
        switch header?.datalink {
        // Bit 0: from the controller. Bit 1: a command or an event.
        case .hci: flags & 0b11 == 0b11 ? packet : nil
        case .h4: !packet.isEmpty && bytes[packet.lowerBound] == HCIEvent.indicator ? packet.dropFirst() : nil
        // The adapter's number in the upper half, the opcode in the lower one.
        case .monitor: flags & 0xFFFF == 3 ? packet : nil
        case nil: nil
        }
    }
}
