import Beacons
import Hummingbird
import Messages
import SiteClient
import SiteCore

/// What the page shows of the site, as JSON.
extension Board.State {
    mutating func send(_ frame: ByteBuffer, about subject: EventStream.Subject) {
        for (id, stream) in streams where stream.subject == subject && !stream.send(frame) { streams[id] = nil }
    }

    var searches: Set<String> {
        Set(streams.values.compactMap { if case .nearby(let search) = $0.subject { search } else { nil } })
    }

    /// How old the response with all items may be if it is long: making it takes memory and time.
    private static let fresh = Interval.seconds(1)
    /// Bytes of a response that is always made anew after a change.
    private static let short = 256 << 10

    /// All items as one response has them, and the events since it was made; `nil` if too much waits for clients.
    mutating func itemsBody(_ outgoing: Outgoing, at now: Instant) -> (body: SharedBody, since: [ByteBuffer])? {
        if let items, now - items.at < Self.fresh { return (items.body, items.since) }
        items = nil
        let size = rows.values.reduce(16) { $0 + $1.count + 1 }
        guard let held = outgoing.hold(size) else { return nil }
        var buffer = ByteBuffer()
        buffer.reserveCapacity(minimumWritableBytes: size)
        buffer.writeString("{\"items\":[")
        for (index, row) in rows.sorted(by: { $0.key < $1.key }).enumerated() {
            if index > 0 { buffer.writeInteger(UInt8(ascii: ",")) }
            buffer.writeBytes(row.value)
        }
        buffer.writeString("]}")
        let body = SharedBody(buffer: buffer, held: held)
        items = (body, now, [])
        return (body, [])
    }

    /// Notes events that the response with all items does not have.
    mutating func changed(_ buffer: ByteBuffer, at now: Instant) {
        guard let made = items else { return }
        if now - made.at >= Self.fresh || made.body.buffer.readableBytes <= Self.short {
            items = nil
        } else {
            items?.since.append(buffer)
        }
    }

    /// `GET /api/v1/gateways`.
    var gatewaysJSON: [UInt8] { jsonList("gateways", gatewayRows.sorted { $0.key < $1.key }.map(\.value)) }

    /// The JSON of an item; `nil` if neither the registry nor a location has it.
    func row(of item: String, at now: Instant) -> [UInt8]? {
        guard let entry = view.items[item] else { return nil }
        let location = view.locations[item]
        var base: [UInt8]
        var isReceived = false
        var floor: Int?
        if var location {
            // That of a position stands in the location.
            if location.point == nil, location.presence != .away {
                floor = location.room.flatMap { site.room(named: $0) }?.floor
            }
            // The ranged states are repeated every few seconds: as long as one holds, "now" is enough.
            let seen = view.lastSeen(location, at: now)
            isReceived = seen?.isNow ?? false
            if let seen, !isReceived { location.lastSeenAt = seen.at }
            location.name = entry.name
            base = location.bytes
        } else {
            base = jsonObject { json in
                json.field("item", item)
                json.field("name", entry.name)
                json.field("presence", Presence.unknown.rawValue)
            }
        }
        return joined(
            base,
            jsonObject { json in
                json.field("floor", floor)
                json.field("received", isReceived)
                json.fields(of: entry.beacon)
                json.field("measured_power_dbm", entry.measuredPower?.dBm)
                json.field("sleeps", entry.sleeps ? true : nil)
                view.health[item]?.readings.writeFields(to: &json)
                json.field("battery_low", view.health[item]?.isLow)
                json.field("interval_s", view.health[item]?.reception.interval, decimals: 2)
                json.field("rssi_db_per_week", view.health[item]?.reception.trend, decimals: 1)
                json.field("stale", isStale)
                json.field("configured", configured.contains(entry.beacon))
                json.nullable("notification", view.notifications[item])
                json.nullable("notify", entry.notify)
                entry.ownership?.writeFields(to: &json)
            })
    }

    /// Marks the items that a gateway has begun or ceased to receive: no message is about that.
    mutating func lookForSilence(at now: Instant) {
        for (item, location) in view.locations {
            let isReceived = view.lastSeen(location, at: now)?.isNow ?? false
            guard isReceived != received.contains(item) else { continue }
            if isReceived { received.insert(item) } else { received.remove(item) }
            changedItems.insert(item)
        }
        received = received.filter { view.locations[$0] != nil }
    }

    mutating func refreshGateways(into buffer: inout ByteBuffer, at now: Instant) {
        for id in Set(view.gateways.keys).union(gatewayRows.keys) {
            let row = view.gateways[id].map { gatewayRow(id, $0, at: now) }
            guard row != gatewayRows[id] else { continue }
            gatewayRows[id] = row
            if let row {
                buffer.writeImmutableBuffer(eventFrame("gateway", row))
            } else {
                buffer.writeImmutableBuffer(eventFrame("gateway_removed", jsonObject { $0.field("id", id) }))
            }
        }
    }

    /// Where people are, as `GET /api/v1/people` has it.
    var peopleJSON: [UInt8] {
        let configured = Set(site.people.map(\.person.id))
        return jsonList(
            view.sortedPeople.map { person in
                joined(person.bytes, jsonObject { $0.field("configured", configured.contains(person.person.id)) })
            })
    }

    mutating func refreshPeople(into buffer: inout ByteBuffer) {
        guard arePeopleChanged else { return }
        arePeopleChanged = false
        let row = peopleJSON
        guard row != peopleRow else { return }
        peopleRow = row
        buffer.writeImmutableBuffer(eventFrame("people", row))
    }

    /// The room of a gateway: as the site has it, or else as the gateway reports.
    private func room(of gateway: String) -> String? {
        site.gateways.first { $0.id == gateway }?.room ?? view.gateways[gateway]?.info?.room
    }

    private func gatewayRow(_ id: String, _ gateway: Heartbeat<GatewayInfo>, at now: Instant) -> [UInt8] {
        let info = gateway.info
        let isAlive = isConnected && gateway.liveness(at: now) == .alive
        return jsonObject { json in
            json.field("id", id)
            json.field("room", room(of: id))
            json.field("alive", isAlive)
            json.field("availability", gateway.availability.map { $0 == .online && !isAlive ? .offline : $0 }?.rawValue)
            json.field("version", info?.version)
            if let radio = info?.radio {
                json.object("radio") { json in
                    json.field("source", radio.source)
                    json.field("interface", radio.interface)
                    json.field("state", radio.state.rawValue)
                    json.field("reason", radio.reason)
                }
            }
            json.field("problems", info?.problems ?? [])
            json.field("regions", info?.regions)
            let offset = receiverOffset(of: id, info)
            json.field("rssi_offset_db", offset?.dB, decimals: 1)
            json.field("rssi_offset_from", offset?.origin)
            // A gateway that is alive has published just now: its time would change the row with each heartbeat.
            if !isAlive { json.field("last_info_at", info?.stamp.at) }
        }
    }

    /// The receiver offset of a gateway and where it was set, by precedence; `nil`: the aggregator may learn one.
    private func receiverOffset(of id: String, _ info: GatewayInfo?) -> (dB: Double, origin: String)? {
        if let dB = site.gateways.first(where: { $0.id == id })?.rssiOffset { return (dB, "aggregator.toml") }
        if let dB = site.pageOffsets[id] { return (dB, "page") }
        return info?.rssiOffset.map { ($0, "gateway.toml") }
    }

    /// `GET /api/v1/site` without what depends on the caller.
    func siteRow(at now: Instant) -> [UInt8] {
        let isAlive = isConnected && view.isAggregatorAlive(at: now)
        var problems: [String] = []
        if let trouble, !isConnected { problems.append(trouble) }
        if isConnected, !isAlive {
            problems.append("The aggregator is not running: these are the last known locations.")
        }
        problems += view.aggregator.info?.problems ?? []
        let missing = view.missingEntries
        if isConnected, missing > 0 {
            problems.append("The broker did not deliver \(missing) entries of the registry.")
        }
        var rooms = site.rooms.map(\.name)
        let others =
            site.gateways.compactMap(\.room) + view.gateways.keys.compactMap(room(of:))
            + view.locations.values.compactMap(\.room)
        rooms += Set(others).subtracting(rooms).sorted()
        return jsonObject { json in
            json.field("version", view.aggregator.info?.version)
            json.field("broker_connected", isConnected)
            json.field("aggregator_alive", isAlive)
            json.field("problems", problems)
            json.field("rooms", rooms)
            json.field("plan_editable", !site.hasOwnPlan)
            json.key(named: "plan")
            site.writePlan(to: &json)
            json.field("plan_revision", site.planRevision)
        }
    }
}
