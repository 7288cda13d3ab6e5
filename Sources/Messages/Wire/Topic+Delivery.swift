import Beacons

extension Topic {
    /// The first member of a payload that contradicts the topic; `nil` if none does.
    func contradiction(with payload: JSONObject) -> String? {
        func differs(_ key: String, _ value: String) -> String? { payload[key]?.string == value ? nil : key }
        switch self {
        case .gatewayInfo(let gateway), .proximity(_, let gateway), .regionState(_, let gateway):
            return differs("gateway", gateway)
        case .regionEvent(let region, let gateway): return differs("region", region) ?? differs("gateway", gateway)
        case .beaconEvent(let beacon, let gateway):
            if let key = differs("gateway", gateway) { return key }
            if payload["uuid"]?.string.flatMap({ BeaconUUID(written: $0) }) != beacon.uuid { return "uuid" }
            if payload["major"]?.integer != Int64(beacon.major) { return "major" }
            return payload["minor"]?.integer != Int64(beacon.minor) ? "minor" : nil
        case .itemLocation(let item), .itemHealth(let item), .itemEvent(let item), .itemNotification(let item),
            .itemNotificationEvent(let item):
            return differs("item", item)
        case .registryItem(let id), .registryRegion(let id), .personLocation(let id), .personEvent(let id):
            return differs("id", id)
        default: return nil
        }
    }

    /// The QoS of the topic's messages. Messages that are repeated within seconds may be lost.
    public var qos: QoS {
        switch self {
        case .gatewayTelemetry, .proximity: .atMostOnce
        default: .atLeastOnce
        }
    }

    /// Whether the broker retains the last message: it retains states, but not events and requests.
    public var isRetained: Bool {
        switch self {
        case .gatewayTelemetry, .gatewayRequest, .gatewayResponse, .beaconEvent, .regionEvent, .itemEvent,
            .itemNotificationEvent, .itemAcknowledge, .personEvent, .aggregatorRequest, .aggregatorResponse:
            false
        default: true
        }
    }
}
