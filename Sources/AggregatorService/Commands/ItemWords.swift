import Beacons
import Linux
import Messages

/// What a person wrote of an item to add, not yet looked at.
public struct ItemWords: Sendable {
    var name: String
    var words: BeaconWords
    var id: String?
    var notify: NotifyWords

    /// The words of `items add`.
    public init(name: String, beacon: BeaconWords, id: String?, notify: NotifyWords) {
        self.name = name
        words = beacon
        self.id = id
        self.notify = notify
    }

    /// What stands for the beacon until it is known which one is nearest.
    static let anyBeacon = BeaconIdentity(uuid: BeaconUUID(high: 0, low: 0), major: 0, minor: 0)

    func beacon() throws(Failure) -> BeaconIdentity { try words.beacon() }

    /// What is to be asked of the aggregator; what no item can have is refused here, with clear words.
    func wish(for beacon: BeaconIdentity) throws(Failure) -> WantedItem {
        return WantedItem(
            name: try named(name), beacon: beacon, id: try wellFormed(id), measuredPower: try words.power(),
            notify: try notify.wish())
    }
}

/// A name, unless there is nothing in it.
func named(_ name: String) throws(Failure) -> String {
    guard !name.allSatisfy(\.isWhitespace) else { throw Failure(.usage, "the name is empty: give it a name") }
    return name
}

/// An id, if one was written and is one.
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
