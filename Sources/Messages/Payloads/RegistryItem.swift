import Beacons
import Synchronization

/// An item of the registry: something with a beacon that the user named.
package struct RegistryItem: Payload {
    /// The id in topics; empty in a request whose item gets an id made from the name.
    package var id: String
    /// The name, in any script.
    package var name: String
    package var beacon: BeaconIdentity
    /// The measured power that replaces the beacon's claim, -100 to -10 dBm; `nil`: the claim applies.
    package var measuredPower: MeasuredPower?
    /// Whether the beacon advertises only while the item moves, so that its silence means that the item is at rest.
    package var sleeps: Bool
    /// The notification settings; `nil`: no notifications.
    package var notify: Notify? {
        get { settings?.notify }
        set { settings = newValue.map(NotifySettings.shared) }
    }
    /// In a block of their own, which most of 100,000 items share.
    private var settings: NotifySettings?
    /// Whose the item is; `nil`: nobody's in particular.
    package var ownership: Ownership? {
        get { ownerships.first }
        set { ownerships = newValue.map { [$0] } ?? [] }
    }
    /// One at most, in a block of its own: most items have none.
    private var ownerships: [Ownership] = []

    package init(
        id: String = "", name: String, beacon: BeaconIdentity, measuredPower: MeasuredPower? = nil,
        sleeps: Bool = false,
        notify: Notify? = nil, ownership: Ownership? = nil
    ) {
        self.id = id
        self.name = name
        self.beacon = beacon
        self.measuredPower = measuredPower
        self.sleeps = sleeps
        settings = notify.map(NotifySettings.shared)
        self.ownership = ownership
    }

    /// The item's implicit region, which has no topics of its own.
    package var region: Region {
        Region(id: id, identifier: name, scope: .beacon(beacon), measuredPower: measuredPower, isImplicit: true)
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("id", id.isEmpty ? nil : id)
        json.field("name", name)
        json.fields(of: beacon)
        json.field("measured_power_dbm", measuredPower?.dBm)
        json.field("sleeps", sleeps ? true : nil)
        json.object("notify", notify)
        ownership?.writeFields(to: &json)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        try self.init(id: try fields.id("id"), others: &fields)
    }

    /// Reads all members but the id.
    init(id: String, others fields: inout Fields) throws(PayloadRefusal) {
        self.id = id
        name = try fields.text("name")
        beacon = try fields.beacon()
        measuredPower = try fields.overridingPower()
        sleeps = try fields.optionalBool("sleeps") ?? false
        settings = try fields.optionalEntry("notify").map(NotifySettings.shared)
        ownership = try fields.ownership()
    }
}

/// The notification settings of items. Items share them that are copies of each other, or are made one after the other with equal settings.
private final class NotifySettings: Hashable, Sendable {
    private static let latest = Mutex<NotifySettings?>(nil)

    let notify: Notify

    private init(_ notify: Notify) { self.notify = notify }

    static func shared(_ notify: Notify) -> NotifySettings {
        latest.withLock { latest in
            if let latest, latest.notify == notify { return latest }
            let settings = NotifySettings(notify)
            latest = settings
            return settings
        }
    }

    static func == (left: NotifySettings, right: NotifySettings) -> Bool { left.notify == right.notify }

    func hash(into hasher: inout Hasher) { hasher.combine(notify) }
}

extension Fields {
    /// Reads a `measured_power_dbm` that replaces a beacon's claim; it must be plausible.
    mutating func overridingPower() throws(PayloadRefusal) -> MeasuredPower? {
        guard let power = try measuredPower() else { return nil }
        guard power.isPlausible else { throw .outOfRange("measured_power_dbm") }
        return power
    }
}
