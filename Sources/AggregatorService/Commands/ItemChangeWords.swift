import Beacons
import Linux
import Messages

/// What a person wrote of what is to be changed of an item, not yet looked at.
public struct ItemChangeWords: Sendable {
    var notify: NotifyWords
    var measuredPower: Int?
    /// It is taken to be as strong as it claims again.
    var isPowerAsClaimed: Bool

    /// The words of `items edit`.
    public init(notify: NotifyWords, measuredPower: Int?, isPowerAsClaimed: Bool) {
        self.notify = notify
        self.measuredPower = measuredPower
        self.isPowerAsClaimed = isPowerAsClaimed
    }

    /// What is to be asked of the aggregator.
    func changes() throws(Failure) -> JSONObject {
        var changes = JSONObject()
        let words = BeaconWords(uuid: nil, major: nil, minor: nil, measuredPower: measuredPower)
        let power = try words.power()
        guard power == nil || !isPowerAsClaimed else {
            throw Failure(.usage, "--measured-power and --claimed-power contradict each other: write one of them")
        }
        if isPowerAsClaimed { changes.set("measured_power_dbm", to: .null) }
        if let power { changes.set("measured_power_dbm", to: .integer(Int64(power.dBm))) }
        let told = try notify.changes()
        if !told.members.isEmpty { changes.set("notify", to: .object(told)) }
        guard !changes.members.isEmpty else {
            throw Failure(.usage, "nothing is to be changed: \"forgetmenot items edit --help\" says what can be")
        }
        return changes
    }
}
