import Beacons

/// How the items of a site sounded lately, without labels, kept to learn from.
///
/// An item that lies still says the same again and again: it is noted every eight seconds, and at once when something changed. Beyond
/// `limit` samples in all, the item with the most loses every second run of its older half.
public struct Past: Hashable, Sendable {
    /// Samples of all items together at most: with six gateways about 3 MB of memory, and 1 MB on disk.
    public static let limit = 24_000
    /// Items at most; of more, those that came last are not noted.
    private static let mostItems = 500
    /// Seconds between two samples of one item at least.
    private static let shortest = 1.0
    /// Seconds after which it is noted though nothing changed; a window of the past holds together over that.
    private static let longest = 8.0
    /// dB: less than that is noise.
    private static let change: Float = 3

    private(set) var histories: [String: LevelHistory] = [:]
    /// Samples now.
    public private(set) var count = 0
    /// Samples that were ever taken, since this was made: says how much is new.
    public private(set) var taken = 0

    /// Nothing was heard yet.
    public init() {}

    /// What `Learned.learn` wants, in the order of the items' ids.
    public var all: [LevelHistory] { histories.sorted { $0.key < $1.key }.map(\.value) }

    /// Notes how an item sounds at a moment, if that is worth it.
    public mutating func take(_ locator: Locator, of item: String, at now: Instant) {
        let levels = locator.levels(at: now)
        guard levels.contains(where: \.isFinite) else { return }
        if let last = histories[item]?.samples.last {
            let elapsed = (now - last.at).seconds
            guard elapsed >= Self.shortest - 1e-6 else { return }
            let isSame = histories[item]?.gateways == locator.model.gateways && Self.alike(last.levels, levels)
            guard !isSame || elapsed >= Self.longest else { return }
        } else if histories.count >= Self.mostItems {
            return
        }
        if count >= Self.limit { thin() }
        // In place: a history is long, and no copy of it is to be made.
        add(LevelHistory.Sample(at: now, levels: levels), to: item, gateways: locator.model.gateways)
        taken += 1
    }

    private mutating func add(_ sample: LevelHistory.Sample, to item: String, gateways: [String]) {
        let before = histories[item]?.count ?? 0
        histories[item, default: LevelHistory(gateways: gateways)].follow(gateways)
        histories[item]?.append(sample)
        count += (histories[item]?.count ?? 0) - before
    }

    /// Forgets everything.
    public mutating func forget() { self = Past() }

    /// Takes out what a gateway said, as if it had not listened: it hangs elsewhere now.
    public mutating func forget(gateway id: String) {
        for item in histories.keys { histories[item]?.forget(gateway: id) }
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

/// Kept as text: before each item's history a line `item ` and its id, behind it an empty one.
extension Past {
    /// The past as text, for a file.
    public var text: String {
        histories.sorted { $0.key < $1.key }.map { "item \($0.key)\n\($0.value.text)\n" }.joined()
    }

    /// Reads such a text, as what ended at a moment: the clock that it was noted by is gone. What is damaged is left out.
    public init(text: String, endingAt end: Instant) {
        var item: Substring?
        var lines: [Substring] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) + [Substring()] {
            if line.hasPrefix("item ") {
                (item, lines) = (line.dropFirst(5), [])
            } else if !line.isEmpty {
                lines.append(line)
            } else if let name = item {
                take(history: LevelHistory(text: lines.joined(separator: "\n")), of: String(name), endingAt: end)
                item = nil
            }
        }
    }

    private mutating func take(history: LevelHistory, of item: String, endingAt end: Instant) {
        guard history.count > 0, histories[item] == nil, histories.count < Self.mostItems else { return }
        var history = history
        history.move(endingAt: end)
        histories[item] = history
        count += history.count
        while count > Self.limit { thin() }
    }
}
