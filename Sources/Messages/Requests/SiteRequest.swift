import Beacons

/// The requests to the aggregator. The raw value is what follows `aggregator/request/` in the topic.
package enum SiteRequest: String, CaseIterable, Sendable {
    case alive, learning, history, events, stays, forgotten
    case addItem = "items/add"
    case importItems = "items/import"
    case removeItem = "items/remove"
    case renameItem = "items/rename"
    case editItem = "items/edit"
    case acknowledgeItem = "items/acknowledge"
    case addRegion = "regions/add"
    case removeRegion = "regions/remove"
    case removeGateway = "gateways/remove"
    case addPerson = "people/add"
    case editPerson = "people/edit"
    case removePerson = "people/remove"
    case startSurvey = "survey/start"
    case stopSurvey = "survey/stop"
    case removeSurvey = "survey/remove"
    case forgetLearning = "learning/forget"
    case testPerson = "people/test"
    case acknowledgeMessage = "people/acknowledge"

    /// Whether the request reads or changes the items and regions of the registry, and so waits until the registry is known.
    package var needsRegistry: Bool { ["items", "regions", "people"].contains { rawValue.hasPrefix($0 + "/") } }

    /// Whether an aggregator on standby carries it out, too: what it changes does not come back as a part of the registry.
    package var isShared: Bool {
        switch self {
        case .acknowledgeItem, .removeGateway, .startSurvey, .stopSurvey, .removeSurvey, .forgetLearning, .addPerson,
            .editPerson, .removePerson:
            true
        case .alive, .learning, .history, .events, .stays, .forgotten, .addItem, .importItems, .removeItem,
            .renameItem, .editItem, .addRegion, .removeRegion, .testPerson, .acknowledgeMessage:
            false
        }
    }
}

/// The requests to a gateway. The raw value is what follows `request/` in the topic.
package enum GatewayRequest: String, CaseIterable, Sendable {
    case alive, beacons, events, settings
    case regionStates = "regions/state"
    case restartRadio = "radio/restart"
}

extension Topic {
    package static func request(_ request: SiteRequest) -> Topic { .aggregatorRequest(what: request.rawValue) }
    package static func response(_ request: SiteRequest) -> Topic { .aggregatorResponse(what: request.rawValue) }
    package static func request(_ request: GatewayRequest, to gateway: String) -> Topic {
        .gatewayRequest(gateway: gateway, what: request.rawValue)
    }
    package static func response(_ request: GatewayRequest, of gateway: String) -> Topic {
        .gatewayResponse(gateway: gateway, what: request.rawValue)
    }
}

extension Message {
    /// A request to the aggregator. The command or page gives up after `patience`, and an MQTT 5 broker delivers the request no later: an
    /// aggregator that starts afterwards does not carry it out. Brokers count whole seconds, and may be late by one.
    package static func request(_ request: SiteRequest, bytes: [UInt8], within patience: Interval) -> Message {
        Message(.request(request), bytes: bytes, expirySeconds: UInt32(max(1, patience.seconds - 1)))
    }
}

/// A request to the aggregator, with the types of its body and of the response.
///
/// The command line and the page pass operations to their connections, such as `ask(.addItem, newItem)`.
package struct SiteOperation<RequestBody: Body, ResponseBody: Body>: Sendable {
    /// The request that the aggregator receives.
    package let request: SiteRequest
}

extension SiteOperation<Nothing, LearningResponse> {
    /// Returns what was learned of the rooms' fingerprints.
    package static var learning: Self { Self(request: .learning) }
    /// Deletes all recorded RSSI values and what was learned from them.
    package static var forgetLearning: Self { Self(request: .forgetLearning) }
}

extension SiteOperation<HistoryRequest, HistoryResponse> {
    /// Returns events of items from the aggregator's event log.
    package static var history: Self { Self(request: .history) }
}

extension SiteOperation<StaysRequest, StaysResponse> {
    /// Returns stays of an item from the history.
    package static var stays: Self { Self(request: .stays) }
}

extension SiteOperation<ForgottenRequest, ForgottenResponse> {
    /// Returns the items whose past was deleted at one of several aggregators.
    package static var forgotten: Self { Self(request: .forgotten) }
}

extension SiteOperation<NewItem, ItemResponse> {
    package static var addItem: Self { Self(request: .addItem) }
}

extension SiteOperation<ImportedItems, ImportResponse> {
    package static var importItems: Self { Self(request: .importItems) }
}

extension SiteOperation<RenamedItem, ItemResponse> {
    package static var renameItem: Self { Self(request: .renameItem) }
}

extension SiteOperation<EditedItem, ItemResponse> {
    package static var editItem: Self { Self(request: .editItem) }
}

extension SiteOperation<NameOrID, ItemResponse> {
    package static var removeItem: Self { Self(request: .removeItem) }
    /// Ends the repetition of an item's notification.
    package static var acknowledgeItem: Self { Self(request: .acknowledgeItem) }
}

extension SiteOperation<Person, PersonResponse> {
    package static var addPerson: Self { Self(request: .addPerson) }
}

extension SiteOperation<EditedPerson, PersonResponse> {
    /// Changes the name of a person, or what the person carries.
    package static var editPerson: Self { Self(request: .editPerson) }
}

extension SiteOperation<NameOrID, PersonResponse> {
    package static var removePerson: Self { Self(request: .removePerson) }
}

extension SiteOperation<NewRegion, RegionResponse> {
    package static var addRegion: Self { Self(request: .addRegion) }
}

extension SiteOperation<NameOrID, RegionResponse> {
    package static var removeRegion: Self { Self(request: .removeRegion) }
}

extension SiteOperation<NameOrID, Nothing> {
    /// Makes the aggregator forget a gateway.
    package static var removeGateway: Self { Self(request: .removeGateway) }
}

extension SiteOperation<SurveyRequest, SurveyResponse> {
    package static var startSurvey: Self { Self(request: .startSurvey) }
}

extension SiteOperation<SurveyEnd, SurveyResponse> {
    /// Ends a survey, and stores or discards it.
    package static var stopSurvey: Self { Self(request: .stopSurvey) }
}

extension SiteOperation<NameOrID, LearningResponse> {
    package static var removeSurvey: Self { Self(request: .removeSurvey) }
}

extension SiteOperation<NameOrID, ChannelTestResponse> {
    /// Sends a message over each channel of a person.
    package static var testPerson: Self { Self(request: .testPerson) }
}

extension SiteOperation<MessageToken, Nothing> {
    package static var acknowledgeMessage: Self { Self(request: .acknowledgeMessage) }
}
