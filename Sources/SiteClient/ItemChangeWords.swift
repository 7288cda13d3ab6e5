import Beacons
import Linux
import Messages

/// The options of `items edit`, as the user wrote them, unchecked.
package struct ItemChangeWords: Sendable {
    var notify: NotifyWords
    var measuredPower: Int?
    /// Whether its beacon advertises only while the item moves; `nil`: unchanged.
    var sleeps: Bool?
    /// Whether to use the measured power that the beacon claims again.
    var isPowerAsClaimed: Bool
    var ownership: OwnershipWords

    /// The options of `items edit`.
    package init(
        notify: NotifyWords, measuredPower: Int?, isPowerAsClaimed: Bool, sleeps: Bool?,
        ownership: OwnershipWords = OwnershipWords()
    ) {
        self.notify = notify
        self.measuredPower = measuredPower
        self.isPowerAsClaimed = isPowerAsClaimed
        self.sleeps = sleeps
        self.ownership = ownership
    }

    /// The changes to request from the aggregator.
    func changes() throws(Failure) -> JSONObject {
        var changes = JSONObject()
        let words = BeaconWords(uuid: nil, major: nil, minor: nil, measuredPower: measuredPower)
        let power = try words.power()
        guard power == nil || !isPowerAsClaimed else {
            throw Failure(.usage, "--measured-power and --claimed-power contradict each other: give one of them")
        }
        if isPowerAsClaimed { changes.set("measured_power_dbm", to: .null) }
        if let power { changes.set("measured_power_dbm", to: .integer(Int64(power.dBm))) }
        if let sleeps { changes.set("sleeps", to: sleeps ? .bool(true) : .null) }
        try ownership.change(&changes)
        let notify = try notify.changes()
        if !notify.members.isEmpty { changes.set("notify", to: .object(notify)) }
        guard !changes.members.isEmpty else {
            throw Failure(.usage, "no change is given: \"forgetmenot items edit --help\" lists the options")
        }
        return changes
    }
}
