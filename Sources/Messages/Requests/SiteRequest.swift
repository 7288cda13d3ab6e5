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
        case .acknowledgeItem, .acknowledgeMessage, .removeGateway, .startSurvey, .stopSurvey, .removeSurvey,
            .forgetLearning, .addPerson, .editPerson, .removePerson:
            true
        case .alive, .learning, .history, .events, .stays, .forgotten, .addItem, .importItems, .removeItem,
            .renameItem, .editItem, .addRegion, .removeRegion, .testPerson:
            false
        }
    }

    /// The name or id of the item that a request is about, if of several aggregators the item's own carries it out.
    package func item(in request: Request) -> String? {
        switch self {
        case .acknowledgeItem: try? request.body(NameOrID.self).name
        case .history: try? request.body(HistoryRequest.self).item?.name
        case .startSurvey: try? request.body(SurveyRequest.self).item
        case .stopSurvey: try? request.body(SurveyEnd.self).item
        case .alive, .learning, .events, .stays, .forgotten, .addItem, .importItems, .removeItem, .renameItem,
            .editItem, .addRegion, .removeRegion, .removeGateway, .addPerson, .editPerson, .removePerson,
            .removeSurvey, .forgetLearning, .testPerson, .acknowledgeMessage:
            nil
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

extension SiteOperation {
    /// Returns what was learned of the rooms' fingerprints.
    package static var learning: SiteOperation<Nothing, LearningResponse> { .init(request: .learning) }
    /// Deletes all recorded RSSI values and what was learned from them.
    package static var forgetLearning: SiteOperation<Nothing, LearningResponse> { .init(request: .forgetLearning) }
    /// Returns events of items from the aggregator's event log.
    package static var history: SiteOperation<HistoryRequest, HistoryResponse> { .init(request: .history) }
    package static var stays: SiteOperation<StaysRequest, StaysResponse> { .init(request: .stays) }
    /// Returns the items whose past was deleted at one of several aggregators.
    package static var forgotten: SiteOperation<ForgottenRequest, ForgottenResponse> { .init(request: .forgotten) }
    package static var addItem: SiteOperation<NewItem, ItemResponse> { .init(request: .addItem) }
    package static var importItems: SiteOperation<ImportedItems, ImportResponse> { .init(request: .importItems) }
    package static var renameItem: SiteOperation<RenamedItem, ItemResponse> { .init(request: .renameItem) }
    package static var editItem: SiteOperation<EditedItem, ItemResponse> { .init(request: .editItem) }
    package static var removeItem: SiteOperation<NameOrID, ItemResponse> { .init(request: .removeItem) }
    /// Ends the repetition of an item's notification.
    package static var acknowledgeItem: SiteOperation<NameOrID, ItemResponse> { .init(request: .acknowledgeItem) }
    package static var addPerson: SiteOperation<Person, PersonResponse> { .init(request: .addPerson) }
    package static var editPerson: SiteOperation<EditedPerson, PersonResponse> { .init(request: .editPerson) }
    package static var removePerson: SiteOperation<NameOrID, PersonResponse> { .init(request: .removePerson) }
    package static var addRegion: SiteOperation<NewRegion, RegionResponse> { .init(request: .addRegion) }
    package static var removeRegion: SiteOperation<NameOrID, RegionResponse> { .init(request: .removeRegion) }
    /// Makes the aggregator forget a gateway.
    package static var removeGateway: SiteOperation<NameOrID, Nothing> { .init(request: .removeGateway) }
    package static var startSurvey: SiteOperation<SurveyRequest, SurveyResponse> { .init(request: .startSurvey) }
    /// Ends a survey, and stores or discards it.
    package static var stopSurvey: SiteOperation<SurveyEnd, SurveyResponse> { .init(request: .stopSurvey) }
    package static var removeSurvey: SiteOperation<NameOrID, LearningResponse> { .init(request: .removeSurvey) }
    /// Sends a message over each channel of a person.
    package static var testPerson: SiteOperation<NameOrID, ChannelTestResponse> { .init(request: .testPerson) }
    package static var acknowledgeMessage: SiteOperation<MessageToken, Nothing> { .init(request: .acknowledgeMessage) }
}
