import EventLogs

/// A machine's disk: the segments of an event log, and files. What was written outlives the process.
package struct VirtualDisk: Sendable {
    /// How often a process was started.
    package var boots: UInt32 = 0
    /// The files of the state folder, by name.
    package var files: [String: [UInt8]] = [:]
    private var segments: [UInt32: [UInt8]] = [:]
    /// The segment that the process writes.
    private var current: UInt32?
    /// Whether it takes nothing at present, and why.
    package var refusal: String?

    /// An empty disk.
    package init() {}

    /// Carries out a step of the event log's writer.
    package mutating func perform(_ step: EventWriter.Step) -> EventWriter.Outcome {
        if let refusal {
            guard case .open = step else { return .failed(refusal) }
        }
        switch step {
        case .open:
            current = nil
            var catalogue = Catalogue()
            for (number, bytes) in segments.sorted(by: { $0.key < $1.key }) {
                catalogue.begin(segment: number)
                catalogue.grow(to: bytes.count)
                var frames = SegmentReader(bytes)
                while let frame = frames.next() { catalogue.note(frame) }
            }
            return .opened(catalogue)
        case .append(let bytes, let number, let isNew, _):
            precondition(isNew == (segments[number] == nil), "a segment is begun once")
            segments[number, default: []] += bytes
            current = number
        case .delete(let number): segments[number] = nil
        }
        return .done
    }

    /// Writes a file as a whole; returns why it is not written.
    package mutating func replace(_ file: String, with bytes: [UInt8]) -> String? {
        if refusal == nil { files[file] = bytes }
        return refusal
    }

    /// The events of a span that are on the disk, lowest numbers first.
    package func read(_ span: EventSpan, by catalogue: Catalogue) -> [Entry]? {
        var entries: [Entry] = []
        for (_, bytes) in segments.sorted(by: { $0.key < $1.key }) {
            var frames = SegmentReader(bytes)
            while let frame = frames.next() {
                guard frame.boot == span.boot else { continue }
                entries += frame.entries.filter { span.seqs.contains($0.seq) }
            }
        }
        return entries
    }

    /// The power fails in the middle of a write: some of what was to be committed next stands at the end of the segment.
    package mutating func tear(_ log: EventLog, writtenAt: WrittenAt, share: Double) {
        guard refusal == nil, let current, log.unstored > 0 else { return }
        let bytes = log.frame(at: writtenAt).bytes
        segments[current]! += bytes.prefix(Int(Double(bytes.count) * share))
    }
}
