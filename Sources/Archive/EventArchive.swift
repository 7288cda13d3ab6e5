import Glibc
import EventLogs
import Linux

/// An event log on disk: `events/1.log`, `events/2.log` and so on in the state folder, each a segment of frames.
///
/// It carries out what an `EventWriter` decides, and reads events.
package final class EventArchive {
    private static let longestSegment = 8 * EventWriter.segmentBytes
    /// The file that names the damaged segments which were reported, so that each damage is reported once.
    private static let knownDamage = "damaged.txt"

    private let state: StateFolder
    private let folder: StateFolder
    /// Which folder was read: another may be there later.
    private var identity: StateFolder.Identity?
    private var segment: (number: UInt32, file: SegmentFile)?
    private var reader: Reader?

    /// The archive in a service's state folder, which need not be there yet.
    package init(in folder: StateFolder) {
        state = folder
        self.folder = StateFolder(path: folder.file("events"))
    }

    /// Carries out a step of the writer's. After a failure the segment is over: nobody knows what of it is on the disk.
    package func perform(_ step: EventWriter.Step) -> EventWriter.Outcome {
        do throws(SystemError) {
            switch step {
            case .open: return .opened(try open())
            case .append(let bytes, let number, let isNew, let isUrgent):
                if segment?.file.isGone == true || identity == nil || folder.identity != identity { return .gone }
                if isNew || segment?.number != number { try begin(number) }
                try segment?.file.append(bytes, isUrgent: isUrgent)
            case .delete(let number): unlink(path(of: number))
            }
            return .done
        } catch {
            segment?.file.abandon()
            segment = nil
            return .failed(error.sentence(ofState: state))
        }
    }

    private func begin(_ number: UInt32) throws(SystemError) {
        segment = nil
        segment = (number, try SegmentFile(creating: path(of: number)))
        try syncFolder(folder.path)
    }

    private func path(of number: UInt32) -> String { folder.file("\(number).log") }

    // MARK: Reading

    /// Reads every segment, whatever has become of it.
    private func open() throws(SystemError) -> Catalogue {
        segment = nil
        reader = nil
        identity = nil
        try folder.make()
        var catalogue = Catalogue()
        var damaged: [String: Int] = [:]
        for number in try folder.entries().compactMap(Self.number).sorted() {
            catalogue.begin(segment: number)
            // One that cannot be read is no reason to lose the others.
            let bytes: [UInt8]
            do throws(SystemError) {
                bytes = try readOwnFile(at: path(of: number), limit: Self.longestSegment)
            } catch {
                catalogue.damage = "\(error): its events are missing"
                continue
            }
            var frames = SegmentReader(bytes)
            catalogue.grow(to: bytes.count)
            while let frame = frames.next() { catalogue.note(frame) }
            if frames.damaged > 0 { damaged["\(number) \(checksum(of: bytes))"] = frames.damaged }
        }
        if let sentence = remember(damaged) {
            catalogue.damage = catalogue.damage.map { "\($0); \(sentence)" } ?? sentence
        }
        identity = folder.identity
        return catalogue
    }

    /// Notes which segments are damaged, and how many bytes of each; returns a sentence about what was not known before.
    private func remember(_ damaged: [String: Int]) -> String? {
        let known = (try? readOwnFile(at: folder.file(Self.knownDamage), limit: 1 << 20)) ?? []
        let lines = Set(String(decoding: known, as: UTF8.self).split(separator: "\n").map(String.init))
        let bytes = damaged.filter { !lines.contains($0.key) }.values.reduce(0, +)
        guard bytes > 0 else { return nil }
        // Where that cannot be written, the next start reports it again.
        try? folder.replace(Self.knownDamage, with: Array(damaged.keys.sorted().joined(separator: "\n").utf8))
        return "\(bytes) bytes in \(folder.path) are damaged and were skipped"
    }

    private static func number(of name: String) -> UInt32? {
        guard name.hasSuffix(".log"), let number = UInt32(name.dropLast(4)), "\(number).log" == name else { return nil }
        return number < .max ? number : nil
    }

    /// The events of a span that are on the disk, lowest numbers first; `nil` where the disk cannot be read now.
    package func read(_ span: EventSpan, by catalogue: Catalogue) -> [Entry]? {
        guard let identity, folder.identity == identity else { return nil }
        var entries: [Entry] = []
        var next = span.seqs.lowerBound
        while next <= span.seqs.upperBound, let found = catalogue.segment(of: Place(boot: span.boot, seq: next)) {
            let last = min(found.upTo, span.seqs.upperBound)
            entries += read(EventSpan(boot: span.boot, seqs: next...last), inSegment: found.number)
            next = last + 1
        }
        return entries
    }

    private func read(_ span: EventSpan, inSegment number: UInt32) -> [Entry] {
        var next = span.seqs.lowerBound
        var entries: [Entry] = []
        // Who reads on where it stopped, or behind, need not begin at the beginning of the segment.
        let place = Place(boot: span.boot, seq: next)
        let isAhead = reader.map { $0.segment == number && $0.next.boot == place.boot && $0.next.seq <= place.seq }
        if isAhead != true {
            guard let bytes = try? readOwnFile(at: path(of: number), limit: Self.longestSegment) else { return [] }
            reader = Reader(segment: number, next: place, frames: SegmentReader(bytes), rest: [])
        }
        guard var current = reader.take() else { return [] }
        while next <= span.seqs.upperBound {
            if current.rest.isEmpty {
                guard let frame = current.frames.next() else { break }
                current.rest = frame.boot == span.boot ? frame.entries[...] : []
                continue
            }
            guard let entry = current.rest.first, entry.seq <= span.seqs.upperBound else { break }
            current.rest.removeFirst()
            guard entry.seq >= next else { continue }
            entries.append(entry)
            next = entry.seq + 1
        }
        current.next = Place(boot: span.boot, seq: next)
        reader = current
        return entries
    }

    /// Where a reader of many events in their order has come to.
    private struct Reader {
        var segment: UInt32
        var next: Place
        var frames: SegmentReader
        var rest: ArraySlice<Entry>
    }
}
