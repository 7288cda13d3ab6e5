import Beacons

/// One event of a log: a gateway's has those of beacons and regions, the aggregator's those of items.
public enum LoggedEvent: Hashable, Sendable {
    /// Of a beacon at a gateway.
    case beacon(BeaconEvent)
    /// Of a region at a gateway.
    case region(RegionEvent)
    /// Of an item.
    case item(ItemEvent)

    /// By which readers drop doubles.
    public var id: EventID {
        switch self {
        case .beacon(let event): event.id
        case .region(let event): event.id
        case .item(let event): event.id
        }
    }

    /// When it happened.
    public var stamp: Stamp {
        switch self {
        case .beacon(let event): event.stamp
        case .region(let event): event.stamp
        case .item(let event): event.stamp
        }
    }

    /// Whether something came in; `nil` of an item's.
    public var transition: Transition? {
        switch self {
        case .beacon(let event): event.transition
        case .region(let event): event.transition
        case .item: nil
        }
    }

    /// The same event with the times that it should have had, where its clock was not synchronised: `origin` is what the wall clock should
    /// have said when its boot began.
    public func dated(from origin: WallTime) -> LoggedEvent {
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

    /// Writes it as it was published.
    public func write(to json: inout JSONWriter) {
        switch self {
        case .beacon(let event): event.write(to: &json)
        case .region(let event): event.write(to: &json)
        case .item(let event): event.write(to: &json)
        }
    }

    /// Reads one that was published, of whichever kind: a beacon's has a `uuid`, a region's a `region`, an item's an `item`.
    public init(parsing bytes: [UInt8]) throws(PayloadRefusal) {
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
