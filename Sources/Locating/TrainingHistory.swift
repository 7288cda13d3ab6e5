import Beacons

/// The recent RSSI history of all items of a site, without labels, as the input of learning.
///
/// A still item adds one sample every 8 s, and one at once when its RSSI changes. Beyond `limit` samples in all, the item with the most
/// samples loses every second run of its older half.
package struct TrainingHistory: Hashable, Sendable {
    /// Samples of all items together at most: with six gateways about 3 MB of memory, and 1 MB on disk.
    package static let limit = 24_000
    /// Items at most. Items that appear after the limit is reached have no history.
    private static let mostItems = 500
    /// Seconds between two samples of one item at least.
    private static let shortest = 1.0
    /// Seconds after which a sample is added though nothing changed. A window stays whole over that time.
    private static let longest = 8.0
    /// dB: a smaller change is noise.
    private static let change: Float = 3

    private(set) var histories: [String: RSSIHistory] = [:]
    package private(set) var count = 0
    /// The number of samples that were ever added. The difference between two readings is the number of new samples.
    package private(set) var added = 0

    package init() {}

    /// The histories as `Learned.learn` expects them, in the order of the items' ids.
    package var all: [RSSIHistory] { histories.sorted { $0.key < $1.key }.map(\.value) }

    /// Whether an item has a history, or may still get one.
    package func follows(_ item: String) -> Bool { histories.count < Self.mostItems || histories[item] != nil }

    /// Adds the current RSSI values of an item, unless they repeat the last sample.
    package mutating func add(_ locator: Locator, of item: String, at now: Instant) {
        let rssiValues = locator.rssiValues(at: now)
        guard rssiValues.contains(where: \.isFinite) else { return }
        if let last = histories[item]?.samples.last {
            let elapsed = (now - last.at).seconds
            guard elapsed >= Self.shortest - 1e-6 else { return }
            let isSame =
                histories[item]?.begins(with: locator.model.gateways) ?? false
                && Self.alike(last.rssiValues, rssiValues)
            guard !isSame || elapsed >= Self.longest else { return }
        } else if histories.count >= Self.mostItems {
            return
        }
        if count >= Self.limit { thin() }
        // In place, as a copy of a long history is expensive.
        add(RSSIHistory.Sample(at: now, rssiValues: rssiValues), to: item, locator.model)
        added += 1
    }

    private mutating func add(_ sample: RSSIHistory.Sample, to item: String, _ model: LocatorModel) {
        let before = histories[item]?.count ?? 0
        histories[item, default: RSSIHistory(gateways: model.gateways)].follow(model.gateways)
        histories[item]?.follow(offsetsOf: model)
        histories[item]?.append(sample)
        count += (histories[item]?.count ?? 0) - before
    }

    package mutating func forget() { self = TrainingHistory() }

    /// Drops the RSSI values of a gateway that was moved, as if the gateway had not scanned.
    package mutating func forget(gateway id: String) {
        for item in histories.keys { histories[item]?.forget(gateway: id) }
    }

    /// Has the values contain the receiver offsets of a model.
    package mutating func follow(offsetsOf model: LocatorModel) {
        for item in histories.keys { histories[item]?.follow(offsetsOf: model) }
    }

    /// Drops a gateway that was removed from the site, with its values.
    package mutating func remove(gateway id: String) {
        for item in histories.keys { histories[item]?.remove(gateway: id) }
    }

    private static func alike(_ one: [Float], _ other: [Float]) -> Bool {
        zip(one, other).allSatisfy { a, b in
            a.isFinite && b.isFinite ? abs(a - b) < change : a.isNaN == b.isNaN && a.isInfinite == b.isInfinite
        }
    }

    private mutating func thin() {
        let longest = histories.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }
        guard let item = longest?.key, let before = longest?.value.count else { return }
        histories[item]?.thin()
        count += (histories[item]?.count ?? 0) - before
    }
}

/// The text format: for each item a line `item ` with its id, the item's history, and an empty line.
extension TrainingHistory {
    /// The history as text, for a file.
    package var text: String {
        histories.sorted { $0.key < $1.key }.map { "item \($0.key)\n\($0.value.text)\n" }.joined()
    }

    /// Reads `text`, and moves its samples so that they end at `end`, as the clock of the former process is lost. Damaged lines are
    /// skipped.
    package init(text: String, endingAt end: Instant) {
        var item: Substring?
        var lines: [Substring] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) + [Substring()] {
            guard line.isEmpty || line.hasPrefix("item ") else {
                lines.append(line)
                continue
            }
            if let name = item {
                add(history: RSSIHistory(text: lines.joined(separator: "\n")), of: String(name), endingAt: end)
            }
            (item, lines) = (line.isEmpty ? nil : line.dropFirst(5), [])
        }
    }

    /// The number of lines with text that the history has as `text`: one that was read from more has lost some.
    package var lineCount: Int { 2 * histories.count + histories.values.count(where: \.hasOffsets) + count }

    private mutating func add(history: RSSIHistory, of item: String, endingAt end: Instant) {
        guard history.count > 0, histories[item] == nil, histories.count < Self.mostItems else { return }
        var history = history
        history.move(endingAt: end)
        histories[item] = history
        count += history.count
        while count > Self.limit { thin() }
    }
}
