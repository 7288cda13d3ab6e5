extension Topic {
    /// The QoS of the topic's messages. Messages that are repeated within seconds may be lost.
    public var qos: QoS {
        switch self {
        case .gatewayTelemetry, .proximity: .atMostOnce
        case .gatewayAvailability, .gatewayInfo, .gatewayRequest, .gatewayResponse, .beaconEvent, .regionState,
            .regionEvent, .registryItem, .registryRegion, .registryManifest, .registryPart, .itemLocation, .itemHealth,
            .itemEvent,
            .itemNotification, .itemNotificationEvent, .itemAcknowledge, .personLocation, .personEvent, .roomPeople,
            .roomItems,
            .roomOccupancy, .aggregatorAvailability, .aggregatorInfo, .aggregatorMember, .aggregatorShares,
            .namedAvailability, .namedInfo, .namedShares,
            .aggregatorRequest, .aggregatorResponse:
            .atLeastOnce
        }
    }

    /// Whether the broker retains the last message: it retains states, but not events and requests.
    public var isRetained: Bool {
        switch self {
        case .gatewayAvailability, .gatewayInfo, .proximity, .regionState, .registryItem, .registryRegion,
            .registryManifest, .registryPart, .itemLocation, .itemHealth, .itemNotification, .personLocation,
            .roomPeople, .roomItems, .roomOccupancy,
            .aggregatorAvailability, .aggregatorInfo, .aggregatorMember, .aggregatorShares, .namedAvailability,
            .namedInfo, .namedShares:
            true
        case .gatewayTelemetry, .gatewayRequest, .gatewayResponse, .beaconEvent, .regionEvent, .itemEvent,
            .itemNotificationEvent, .itemAcknowledge, .personEvent, .aggregatorRequest, .aggregatorResponse:
            false
        }
    }
}
