import Beacons
import Linux
import Messages

/// The options of `items add`, as the user wrote them, unchecked.
package struct ItemWords: Sendable {
    var name: String
    var words: BeaconWords
    var id: String?
    var sleeps: Bool
    var notify: NotifyWords
    var ownership: OwnershipWords

    /// The options of `items add`.
    package init(
        name: String, beacon: BeaconWords, id: String?, sleeps: Bool, notify: NotifyWords,
        ownership: OwnershipWords = OwnershipWords()
    ) {
        self.name = name
        words = beacon
        self.id = id
        self.sleeps = sleeps
        self.notify = notify
        self.ownership = ownership
    }

    /// A placeholder until the nearest beacon is known.
    static let anyBeacon = BeaconIdentity(uuid: BeaconUUID(high: 0, low: 0), major: 0, minor: 0)

    func beacon() throws(Failure) -> BeaconIdentity { try words.beacon() }

    /// The item to request from the aggregator. Options that no item can have are refused here.
    func newItem(for beacon: BeaconIdentity) throws(Failure) -> NewItem {
        return NewItem(
            name: try named(name), beacon: beacon, id: try wellFormed(id), measuredPower: try words.power(),
            sleeps: sleeps, notify: try notify.requested(), ownership: try ownership.requested())
    }
}

/// The name; throws if it is empty.
func named(_ name: String) throws(Failure) -> String {
    guard !name.allSatisfy(\.isWhitespace) else { throw Failure(.usage, "the name is empty: write a name") }
    return name
}

/// The id, if one is given; throws if it is not a valid id.
func wellFormed(_ id: String?) throws(Failure) -> String? {
    guard let id else { return nil }
    guard isValidID(id) else {
        throw Failure(
            .usage,
            "--id is \"\(id)\": write 1 to 64 of a-z, 0-9, \"-\", \"_\", \".\", the first a letter or digit, like \"laptop-bag\""
        )
    }
    return id
}
