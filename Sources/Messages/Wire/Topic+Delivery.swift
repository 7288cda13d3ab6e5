extension Topic {
    /// With which QoS its messages are published: what comes again within seconds may get lost.
    public var qos: QoS {
        switch self {
        case .gatewayTelemetry, .proximity: .atMostOnce
        case .gatewayAvailability, .gatewayInfo, .gatewayRequest, .gatewayResponse, .beaconEvent, .regionState,
            .regionEvent, .registryItem, .registryRegion, .registryManifest, .itemLocation, .itemEvent,
            .itemNotification, .itemNotificationEvent, .itemAcknowledge, .aggregatorAvailability, .aggregatorInfo,
            .aggregatorRequest, .aggregatorResponse:
            .atLeastOnce
        }
    }

    /// Whether the broker keeps the last message: states are kept, what happened and what is asked is not.
    public var isRetained: Bool {
        switch self {
        case .gatewayAvailability, .gatewayInfo, .proximity, .regionState, .registryItem, .registryRegion,
            .registryManifest, .itemLocation, .itemNotification, .aggregatorAvailability, .aggregatorInfo:
            true
        case .gatewayTelemetry, .gatewayRequest, .gatewayResponse, .beaconEvent, .regionEvent, .itemEvent,
            .itemNotificationEvent, .itemAcknowledge, .aggregatorRequest, .aggregatorResponse:
            false
        }
    }
}
