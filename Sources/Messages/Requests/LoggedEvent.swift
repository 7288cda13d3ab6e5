import Beacons

/// An event of a log: a gateway's log has events of beacons and regions, the aggregator's log has events of items.
package enum LoggedEvent: Hashable, Sendable {
    case beacon(BeaconEvent)
    case region(RegionEvent)
    case item(ItemEvent)

    /// The event's unique id, by which readers drop duplicates.
    package var id: EventID {
        switch self {
        case .beacon(let event): event.id
        case .region(let event): event.id
        case .item(let event): event.id
        }
    }

    package var stamp: Stamp {
        switch self {
        case .beacon(let event): event.stamp
        case .region(let event): event.stamp
        case .item(let event): event.stamp
        }
    }

    /// Whether the event is an enter or an exit; `nil` for an item's event.
    package var transition: Transition? {
        switch self {
        case .beacon(let event): event.transition
        case .region(let event): event.transition
        case .item: nil
        }
    }

    /// Returns the event with corrected times if its clock was not synchronised. `origin` is the correct wall clock
    /// time of the start of the run.
    package func dated(from origin: WallTime) -> LoggedEvent {
        switch self {
        case .beacon(var event):
            let shift = event.stamp.date(from: origin)
            event.lastSeenAt = event.lastSeenAt.map { $0 + shift }
            return .beacon(event)
        case .region(var event):
            _ = event.stamp.date(from: origin)
            return .region(event)
        case .item(var event):
            _ = event.stamp.date(from: origin)
            return .item(event)
        }
    }

    package func write(to json: inout JSONWriter) {
        switch self {
        case .beacon(let event): event.write(to: &json)
        case .region(let event): event.write(to: &json)
        case .item(let event): event.write(to: &json)
        }
    }

    /// Reads a published event of any kind: a beacon's has a `uuid`, a region's a `region`, an item's an `item`.
    package init(parsing bytes: [UInt8]) throws(PayloadRefusal) {
        let value: JSONValue
        do { value = try JSONValue(parsing: bytes) } catch { throw .json(error) }
        guard let object = value.object else { throw .notAnObject }
        try self.init(object)
    }

    init(_ object: JSONObject) throws(PayloadRefusal) {
        var fields = Fields(object)
        try fields.checkVersion()
        if object["uuid"] != nil {
            self = .beacon(try BeaconEvent(reading: &fields))
        } else if object["region"] != nil {
            self = .region(try RegionEvent(reading: &fields))
        } else if object["item"] != nil {
            self = .item(try ItemEvent(reading: &fields))
        } else {
            throw .missing("uuid")
        }
    }
}
