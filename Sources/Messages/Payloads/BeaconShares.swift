import Beacons

/// A part of a site's beacons: those with a uuid, or those with a uuid and a major.
package struct BeaconShare: Members, CustomStringConvertible, Comparable {
    package var uuid: BeaconUUID
    /// The major of the beacons; `nil`: any.
    package var major: UInt16?

    package init(uuid: BeaconUUID, major: UInt16? = nil) {
        self.uuid = uuid
        self.major = major
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("uuid", uuid)
        json.field("major", major)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        uuid = try fields.uuid("uuid")
        major = try fields.optionalCount("major", in: 0...UInt16.max)
    }

    /// Whether some beacon may be in both shares.
    package func overlaps(_ other: BeaconShare) -> Bool {
        uuid == other.uuid && (major == nil || other.major == nil || major == other.major)
    }

    /// `uuid` or `uuid/major`: the form of topics.
    package var description: String { "\(uuid)" + (major.map { "/\($0)" } ?? "") }

    /// Orders shares by uuid, then major; all majors come first.
    package static func < (left: Self, right: Self) -> Bool {
        (left.uuid, left.major.map(Int.init) ?? -1) < (right.uuid, right.major.map(Int.init) ?? -1)
    }
}

/// The shares of one aggregator: the beacons whose items it locates.
package struct BeaconShares: Payload {
    package var shares: [BeaconShare]

    package static let most = 256

    /// Creates the payload from the shares in any order.
    package init(shares: [BeaconShare]) { self.shares = shares.sorted() }

    package func writeFields(to json: inout JSONWriter) {
        json.array("shares", shares)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        shares = try fields.entries("shares", limit: Self.most)
    }
}

/// The shares of all aggregators of a site: which of them locates the items of which beacons.
///
/// An aggregator is known by its name; the empty name is the aggregator without a name. The share with a major takes precedence over the
/// share of its whole uuid; of two equal shares, the one of the lower name does. So all aggregators find the same holder.
package struct SiteShares: Hashable, Sendable {
    /// The most aggregators whose shares are remembered.
    package static let mostAggregators = 64

    /// The shares of each aggregator that has some, by name.
    package private(set) var byName: [String: [BeaconShare]] = [:]
    /// The names of the aggregators that have each share, in order: the first one is the holder.
    private var claimants: [BeaconShare: [String]] = [:]
    /// The shares of each uuid that have a major.
    private var majors: [BeaconUUID: [BeaconShare]] = [:]

    package init() {}

    /// Sets the shares of an aggregator; `nil` or none: the aggregator has no shares. Returns whether something changed.
    @discardableResult
    package mutating func set(_ shares: [BeaconShare]?, of name: String) -> Bool {
        let new = shares.flatMap { $0.isEmpty ? nil : $0.sorted() }
        guard byName[name] != new, new == nil || byName[name] != nil || byName.count < Self.mostAggregators else {
            return false
        }
        byName[name] = new
        (claimants, majors) = ([:], [:])
        for (name, shares) in byName.sorted(by: { $0.key < $1.key }) {
            for share in shares { claimants[share, default: []].append(name) }
        }
        for share in claimants.keys where share.major != nil { majors[share.uuid, default: []].append(share) }
        return true
    }

    /// The name of the aggregator that locates the item of a beacon; `nil` if the beacon is in no share.
    package func holder(of beacon: BeaconIdentity) -> String? {
        (claimants[BeaconShare(uuid: beacon.uuid, major: beacon.major)] ?? claimants[BeaconShare(uuid: beacon.uuid)])?
            .first
    }

    /// Two aggregators whose shares overlap, the holder of the beacons in both shares first.
    package struct Overlap: Hashable, Sendable {
        /// The name of the aggregator that has the beacons.
        package var holder: String
        /// The name of the other aggregator.
        package var other: String
        package var share: BeaconShare
    }

    /// The overlaps of an aggregator's shares with those of others, ordered by share and names.
    package func overlaps(of name: String) -> [Overlap] {
        var found: [Overlap] = []
        for share in byName[name] ?? [] {
            for other in claimants[share] ?? [] where other != name {
                found.append(Overlap(holder: min(name, other), other: max(name, other), share: share))
            }
            // The share with a major takes precedence.
            if share.major != nil {
                for other in claimants[BeaconShare(uuid: share.uuid)] ?? [] where other != name {
                    found.append(Overlap(holder: name, other: other, share: share))
                }
            } else {
                for special in majors[share.uuid] ?? [] {
                    for other in claimants[special] ?? [] where other != name {
                        found.append(Overlap(holder: other, other: name, share: special))
                    }
                }
            }
        }
        return found.sorted { ($0.share, $0.holder, $0.other) < ($1.share, $1.holder, $1.other) }
    }
}
