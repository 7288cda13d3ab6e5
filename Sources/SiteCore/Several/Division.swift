import Beacons
import Messages

/// How several aggregators divide the site among themselves, as one of them knows it.
struct Division: Sendable {
    /// Shares that their aggregator does not publish again within this time after a connect are given up.
    static let patience = Interval.seconds(300)
    /// After another aggregator has started, the locations are published again: it may have published items that are not its own.
    static let repeatDelay = Interval.seconds(6)
    /// The overlaps that `info` names.
    static let mostNamed = 10

    /// The part of the site that this aggregator locates.
    private(set) var part: SitePart
    /// The aggregators with a name that are known to be down.
    private(set) var offline: Set<String> = []
    /// Aggregators that have not published their shares on this connection.
    private var unconfirmed: Set<String> = []
    private var connectedAt: Instant?
    /// When the locations are published again.
    private var repeatsAt: Instant?

    init(_ part: SitePart) { self.part = part }

    /// The name of this aggregator; empty if it has none.
    var name: String { part.name ?? "" }

    /// The other aggregator that locates the item of a beacon; `nil` if this one does.
    func other(for beacon: BeaconIdentity) -> String? {
        part.locates(beacon) ? nil : part.shares.holder(of: beacon) ?? ""
    }

    // MARK: What happens

    /// Whatever the broker retains comes again.
    mutating func connected(at now: Instant) {
        (connectedAt, unconfirmed) = (now, Set(part.shares.byName.keys).subtracting([name]))
    }

    /// Applies the shares of another aggregator; returns whether something changed.
    mutating func apply(_ shares: [BeaconShare]?, of other: String, at now: Instant) -> Bool {
        unconfirmed.remove(other)
        guard part.shares.set(shares, of: other) else { return false }
        repeatSoon(at: now)
        return true
    }

    /// Gives up the shares that nobody has published since the connection was made; returns whether there were some.
    mutating func giveUpUnconfirmed(at now: Instant) -> Bool {
        guard !unconfirmed.isEmpty, let connectedAt, now >= connectedAt + Self.patience else { return false }
        for other in unconfirmed { part.shares.set(nil, of: other) }
        unconfirmed = []
        return true
    }

    /// The availability of another aggregator has arrived.
    mutating func note(_ availability: Availability?, of other: String) {
        if availability != .offline {
            offline.remove(other)
        } else if offline.count < SiteShares.mostAggregators {
            offline.insert(other)
        }
    }

    /// Another aggregator has started: soon the locations are to be published again.
    mutating func repeatSoon(at now: Instant) { repeatsAt = now + Self.repeatDelay }

    /// Whether the locations are to be published again, because another aggregator may have published some of them; once.
    mutating func repeatsLocations(at now: Instant) -> Bool {
        guard let due = repeatsAt, now >= due else { return false }
        repeatsAt = nil
        return true
    }

    // MARK: Problems

    /// The overlaps of this aggregator's shares with others, each as a sentence for `info`; beyond some, their number.
    var overlaps: [String] {
        let all = part.shares.overlaps(of: name)
        let sentences = all.prefix(Self.mostNamed).map { overlap in
            "[[subscribe]] of \(Self.title(overlap.holder)) and of \(Self.title(overlap.other)) overlap in the beacons "
                + "\(overlap.share): \(Self.title(overlap.holder)) locates their items, change one of the two files"
        }
        guard all.count > Self.mostNamed else { return sentences }
        return sentences + ["\(all.count - Self.mostNamed) more overlaps of [[subscribe]]: correct these first"]
    }

    /// An aggregator in sentences.
    static func title(_ name: String) -> String { name.isEmpty ? "the aggregator without a name" : name }
}
