import Beacons
import Channels
import Messages
import People

/// The file `site.json`: the registry and the last known state of each item. With it a restart produces no events.
package struct StoredSite {
    /// The last known state of one item.
    struct Item: Hashable, Sendable {
        var id: String
        var presence: Presence
        var room: String?
        /// The room that the last event named, if that is another one.
        var announced: String?
        var since: WallTime?
        var lastSeenAt: WallTime?
        var restingSince: WallTime?
        /// How the item was received when the site was written; `nil`: it was not still.
        var rest: Rest?
        /// The gateways that had the item inside, and whether the item has exited there.
        var gateways: [String: Bool]
        var notification: ItemNotification.Stored?
        /// Whether it is reported that the battery of the item's tag is low.
        var isLow = false
        var lowNotification: ItemNotification.Stored?
        /// Whether the item, which is away, probably fell silent because the battery is empty.
        var isEmpty = false
        /// The alarm of the item, also one that was acknowledged and so has no notification.
        var alarm: Alarm?
    }

    /// How a still item is received: the variance between sightings in dB², and the mean RSSI in dBm at each gateway.
    struct Rest: Hashable, Sendable {
        var variance: Double
        var rssi: [String: Double] = [:]
    }

    /// The events of one gateway that were applied, oldest run first.
    struct Gateway: Hashable, Sendable {
        var id: String
        var applied: [LogRange]
        /// Its rooms; none in files of versions that did not know them.
        var rooms: [String] = []
    }

    var revision: UInt64
    /// The run id of the process that began the registry; `nil` in files of versions that did not know it.
    var origin: Boot?
    var items: [RegistryItem]
    var regions: [Region]
    /// The ids of the items and regions of the configuration.
    var configured: [String]
    var states: [Item]
    /// The applied events of each gateway.
    var gateways: [Gateway] = []
    /// The last item event that was published when the file was written.
    var lastPublished: EventID?
    /// The events that one of several aggregators has decided and nobody had published when the file was written.
    var unpublished: [ItemEvent] = []
    /// The messages to persons, until their phones have what is true now.
    var messages: [StoredMessage] = []
    /// The people, and what was learned of what they carry; `nil` in a line of `site.log` if nothing of that changed.
    var people: [StoredPerson]?
    /// How often a person was added or removed by command; `nil`: never.
    var peopleChanges: UInt64?
    /// When the file was written; `nil` in files of versions that did not know it.
    var writtenAt: WallTime?
    /// The shares of each aggregator, by name; the empty name is the aggregator without a name.
    package var shares: [String: [BeaconShare]] = [:]
    /// The unique name of this file in the lines of `site.log`; `nil` in files of versions that wrote no log.
    var generation: String?
}

extension StoredSite: Payload {
    /// Whatever was written is read: a site that its own program refuses would be lost.
    package static var limits: JSONLimits { .ownFile }

    package func writeFields(to json: inout JSONWriter) {
        json.field("revision", revision)
        json.field("origin", origin?.description)
        json.array("items", items)
        json.array("regions", regions)
        json.field("configured", configured)
        json.array("states", states)
        json.array("gateways", gateways)
        if !shares.isEmpty {
            json.array("shares") { json in
                for (name, shares) in shares.sorted(by: { $0.key < $1.key }) {
                    for share in shares {
                        json.object { json in
                            json.field("aggregator", name)
                            share.writeFields(to: &json)
                        }
                    }
                }
            }
        }
        json.field("told", lastPublished?.description)
        if !unpublished.isEmpty { json.array("unpublished", unpublished) }
        if !messages.isEmpty { json.array("messages", messages) }
        if let people { json.array("people", people) }
        json.field("people_changes", peopleChanges)
        json.field("written_at", writtenAt)
        json.field("generation", generation)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        // Earlier versions followed revisions above the highest one, and stored them. As 0 every valid revision is newer.
        let revision: UInt64 = try fields.count("revision", in: Fields.counts)
        self.revision = revision <= RegistryManifest.highestRevision ? revision : 0
        origin = try fields.optionalParsed("origin") { Boot($0) }
        items = try fields.entries("items", limit: .max)
        regions = try fields.entries("regions", limit: .max)
        configured = try fields.texts("configured", limit: .max)
        states = try fields.entries("states", limit: .max)
        gateways = try fields.entries("gateways", limit: .max)
        if fields.value("shares") != nil {
            for (name, share) in try fields.array("shares", limit: .max, Self.share) {
                shares[name, default: []].append(share)
            }
        }
        lastPublished = try fields.optionalParsed("told") { EventID($0) }
        unpublished = try fields.optionalEntries("unpublished", limit: .max) ?? []
        messages = try fields.optionalEntries("messages", limit: .max) ?? []
        people = try fields.optionalEntries("people", limit: .max)
        peopleChanges = try fields.optionalCount("people_changes", in: Fields.counts)
        writtenAt = try fields.optionalTime("written_at")
        generation = try fields.optionalText("generation")
    }

    private static func share(_ value: JSONValue) throws(PayloadRefusal) -> (name: String, share: BeaconShare) {
        var fields = try Fields(value, of: "shares")
        let share = try BeaconShare(reading: &fields)
        return (try fields.text("aggregator"), share)
    }
}

extension StoredSite.Item: Members {
    func writeFields(to json: inout JSONWriter) {
        json.field("id", id)
        json.field("presence", presence.rawValue)
        json.field("room", room)
        json.field("announced", announced)
        json.field("since", since)
        json.field("last_seen_at", lastSeenAt)
        json.field("resting_since", restingSince)
        json.object("still", rest)
        json.object("gateways") { json in
            for (gateway, hasExited) in gateways.sorted(by: { $0.key < $1.key }) {
                json.key(named: gateway)
                json.element(hasExited ? "exited" : "inside")
            }
        }
        json.object("notification", notification)
        json.field("low", isLow ? true : nil)
        json.field("empty", isEmpty ? true : nil)
        json.object("low_notification", lowNotification)
        json.object("alarm", alarm)
    }

    init(reading fields: inout Fields) throws(PayloadRefusal) {
        id = try fields.id("id")
        presence = try fields.word("presence")
        room = try fields.optionalText("room")
        announced = try fields.optionalText("announced")
        since = try fields.optionalTime("since")
        lastSeenAt = try fields.optionalTime("last_seen_at")
        restingSince = try fields.optionalTime("resting_since")
        rest = try fields.optionalEntry("still")
        gateways = [:]
        for member in try fields.optionalObject("gateways")?.members ?? [] where isValidID(member.key) {
            gateways[member.key] = member.value.string == "exited"
        }
        notification = try fields.optionalEntry("notification")
        isLow = try fields.optionalBool("low") ?? false
        isEmpty = try fields.optionalBool("empty") ?? false
        lowNotification = try fields.optionalEntry("low_notification")
        alarm = try fields.optionalEntry("alarm")
    }
}

extension StoredSite.Rest: Members {
    func writeFields(to json: inout JSONWriter) {
        json.field("variance", variance, decimals: 1)
        json.object("rssi") { json in
            for (gateway, rssi) in rssi.sorted(by: { $0.key < $1.key }) {
                json.key(named: gateway)
                json.element(rssi, decimals: 1)
            }
        }
    }

    init(reading fields: inout Fields) throws(PayloadRefusal) {
        variance = try fields.number("variance", in: 0...1000)
        for member in try fields.optionalObject("rssi")?.members ?? [] where isValidID(member.key) {
            rssi[member.key] = member.value.double.flatMap { (-127...20).contains($0) ? $0 : nil }
        }
    }
}

extension Alarm: Members {
    package func writeFields(to json: inout JSONWriter) {
        json.field("kind", kind.rawValue)
        switch self {
        case .forgotten(let people): json.field("people", people)
        case .taken(let room): json.field("room", room)
        case .alone(let room): json.field("room", room)
        }
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        let kind: Messages.Notification.Kind = try fields.word("kind")
        switch kind {
        case .forgotten: self = .forgotten(by: try fields.texts("people", limit: Ownership.most))
        case .taken: self = .taken(from: try fields.optionalText("room"))
        case .alone: self = .alone(in: try fields.text("room"))
        case .left, .returned, .low: throw .wrongType("kind")
        }
    }
}

extension ItemNotification.Stored: Members {
    func writeFields(to json: inout JSONWriter) {
        json.field("kind", kind.rawValue)
        json.field("id", id.description)
        json.field("since", since)
        json.field("room", room)
        json.field("happened_at", happenedAt)
        json.object("said", published)
        json.field("expired", isExpired ? true : nil)
    }

    init(reading fields: inout Fields) throws(PayloadRefusal) {
        kind = try fields.word("kind")
        id = try fields.parsed("id") { EventID($0) }
        since = try fields.time("since")
        room = try fields.optionalText("room")
        happenedAt = try fields.time("happened_at")
        published = try fields.optionalEntry("said")
        isExpired = try fields.optionalBool("expired") ?? false
    }
}

extension StoredSite.Gateway: Members {
    func writeFields(to json: inout JSONWriter) {
        json.field("id", id)
        json.array("applied", applied)
        if !rooms.isEmpty { json.field("rooms", rooms) }
    }

    init(reading fields: inout Fields) throws(PayloadRefusal) {
        id = try fields.id("id")
        applied = try fields.entries("applied", limit: .max)
        rooms = try fields.optionalTexts("rooms", limit: .max) ?? []
    }
}

extension StoredPerson: Members {
    package func writeFields(to json: inout JSONWriter) {
        person.writeFields(to: &json)
        json.field("configured", isConfigured ? true : nil)
        json.field("presence", presence.rawValue)
        json.field("room", room)
        json.field("since", since)
        json.field("item", item)
        json.field("departed_at", departedAt)
        json.field("present", present)
        json.array("habits", of: habits.sorted(by: { $0.key < $1.key })) { entry, json in
            let (item, habit) = entry
            json.field("item", item)
            json.field("together", habit.together, decimals: 2)
            json.field("stayed", habit.stayed, decimals: 2)
            json.field("alone", habit.alone, decimals: 2)
        }
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        self.init(person: try Person(reading: &fields))
        isConfigured = try fields.optionalBool("configured") ?? false
        presence = try fields.word("presence")
        room = try fields.optionalText("room")
        since = try fields.optionalTime("since")
        item = try fields.optionalText("item")
        departedAt = try fields.optionalTime("departed_at")
        present = try fields.texts("present", limit: Person.mostCarried)
        let habits = try fields.array("habits", limit: .max) { (value) throws(PayloadRefusal) in
            var fields = try Fields(value, of: "habits")
            return (
                try fields.id("item"),
                Habit(
                    together: try fields.number("together", in: 0...100),
                    stayed: try fields.number("stayed", in: 0...100),
                    alone: try fields.number("alone", in: 0...100))
            )
        }
        self.habits = Dictionary(habits, uniquingKeysWith: { $1 })
    }
}

extension SitePipeline {
    /// What is to be on disk now.
    package var stored: StoredSite {
        var site = StoredSite(
            revision: registry.revision, origin: registry.origin, items: registry.items.values.sorted { $0.id < $1.id },
            regions: registry.regions.values.sorted { $0.id < $1.id }, configured: registry.configured.keys.sorted(),
            states: items.table.values.sorted { $0.item.id < $1.item.id }.map(storedState),
            gateways: reports.gateways.all.sorted { $0.id < $1.id }.map(storedGateway),
            lastPublished: items.events.lastPublished(by: effects.boot)
        )
        site.shares = part.shares.byName
        if !people.isEmpty { site.people = people.stored }
        complete(&site)
        return site
    }

    /// Adds what every line of `site.log` has in full.
    func complete(_ site: inout StoredSite) {
        site.unpublished = unpublished
        site.messages = messages.stored
        site.peopleChanges = people.changes > 0 ? people.changes : nil
        site.writtenAt = effects.now.wall
    }

    func storedState(of record: ItemRecord) -> StoredSite.Item {
        // Of an item that was not received since the start, what a former process knew still holds.
        let rest = record.locator.map { $0.rest(at: effects.now.instant) } ?? record.remembered?.rest
        return StoredSite.Item(
            id: record.item.id, presence: record.presence, room: record.room,
            announced: record.reported.announced == record.room ? nil : record.reported.announced, since: record.since,
            lastSeenAt: record.lastSeenAt, restingSince: record.sleep.restingSince,
            rest: rest.map { StoredSite.Rest(variance: $0.variance, rssi: $0.rssi) },
            gateways: record.presenceByGateway.stored,
            notification: record.notification?.stored(at: effects.now), isLow: record.health?.discharge != nil,
            lowNotification: record.lowNotification?.stored(at: effects.now),
            isEmpty: record.health?.discharge?.isEmpty ?? false, alarm: people.alarm(of: record.item.id))
    }

    func storedGateway(_ gateway: GatewayRecord) -> StoredSite.Gateway {
        StoredSite.Gateway(
            id: gateway.id, applied: gateway.events.stored, rooms: reports.formerRooms.rooms(of: gateway.id))
    }

    /// Whether it is to be on disk soon, whatever the card bears: a gateway starts again and again.
    var isStoredTooRarely: Bool { reports.gateways.all.contains(where: \.events.isStoredTooRarely) }
}
