import Beacons
import Messages

/// Whether a message is as the reference has it: its topic is one, and its payload is that topic's.
enum Contract {
    /// What is wrong with a message; `nil` if nothing is.
    static func breach(topic name: String, payload: [UInt8]) -> String? {
        guard let topic = Topic(named: name, under: .standard) else { return "\(name) is no topic of the reference" }
        if payload.isEmpty { return topic.isRetained ? nil : "\(name) is cleared and was never kept" }
        do throws(PayloadRefusal) {
            try read(payload, on: topic)
            return nil
        } catch {
            return "\(name): \(error) in \(String(decoding: payload, as: UTF8.self))"
        }
    }

    private static func read(_ payload: [UInt8], on topic: Topic) throws(PayloadRefusal) {
        switch topic {
        case .gatewayAvailability, .aggregatorAvailability, .aggregatorMember, .namedAvailability:
            if Availability(parsing: payload) == nil { throw .malformed("availability") }
        case .roomOccupancy: if Occupancy(parsing: payload) == nil { throw .malformed("occupancy") }
        case .gatewayInfo: _ = try GatewayInfo(parsing: payload, on: topic)
        case .gatewayTelemetry: _ = try Telemetry(parsing: payload, on: topic)
        case .proximity: _ = try RangedState(parsing: payload, on: topic)
        case .beaconEvent: _ = try BeaconEvent(parsing: payload, on: topic)
        case .regionState: _ = try RegionState(parsing: payload, on: topic)
        case .regionEvent: _ = try RegionEvent(parsing: payload, on: topic)
        case .registryItem: _ = try RegistryItem(parsing: payload, on: topic)
        case .registryRegion: _ = try Region(parsing: payload, on: topic)
        case .registryManifest: _ = try RegistryManifest(parsing: payload, on: topic)
        case .registryPart: _ = try RegistryPart(parsing: payload, on: topic)
        case .itemLocation: _ = try ItemLocation(parsing: payload, on: topic)
        case .itemHealth: _ = try ItemHealth(parsing: payload, on: topic)
        case .itemAliases: _ = try ItemAliases(parsing: payload, on: topic)
        case .itemEvent: _ = try ItemEvent(parsing: payload, on: topic)
        case .itemNotification: _ = try Notification(parsing: payload, on: topic)
        case .itemNotificationEvent: _ = try NotificationEvent(parsing: payload, on: topic)
        case .personLocation: _ = try PersonLocation(parsing: payload, on: topic)
        case .personEvent: _ = try PersonEvent(parsing: payload, on: topic)
        case .roomPeople, .roomItems: _ = try RoomContents(parsing: payload, on: topic)
        case .aggregatorShares, .namedShares: _ = try BeaconShares(parsing: payload, on: topic)
        case .aggregatorInfo, .namedInfo: _ = try AggregatorInfo(parsing: payload, on: topic)
        case .itemAcknowledge:
            guard let object = (try? JSONValue(parsing: payload))?.object else { throw .notAnObject }
            var fields = Fields(object)
            _ = try fields.optionalParsed("kind", Messages.Notification.Kind.init(rawValue:))
        case .gatewayRequest, .gatewayResponse, .aggregatorRequest, .aggregatorResponse:
            if (try? JSONValue(parsing: payload))?.object == nil { throw .notAnObject }
        }
    }
}
