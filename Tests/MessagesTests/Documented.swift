import Beacons
import Messages
import Testing

/// One payload of the reference, and the type that reads it.
struct Documented: Sendable, CustomTestStringConvertible {
    /// The name of the page in the catalogue.
    let page: String
    /// The heading of the payload's section; `nil`: the whole page.
    let heading: String?
    /// The type of the payload.
    let type: String
    /// Whether the written bytes must equal the example's: requests may be written in more than one way.
    let isCanonical: Bool
    /// Keys of the envelope, which are documented once on another page.
    let envelope: Set<String>
    /// Reads a payload and writes it again.
    let read: @Sendable ([UInt8]) throws -> (value: Any, bytes: [UInt8])

    /// Where the page is, for the message of a failed test.
    var path: String { "Documentation/Forgetmenot.docc/Payloads/\(page).md" }

    var testDescription: String { heading.map { "\(page), \($0)" } ?? page }

    static func payload<P: Payload>(_ page: String, _ type: P.Type) -> Documented {
        Documented(page: page, heading: nil, type: "\(type)", isCanonical: true, envelope: []) { bytes in
            let payload = try P(parsing: bytes)
            return (payload, payload.bytes)
        }
    }

    static func request<B: Body>(_ page: String, _ what: String, _ type: B.Type) -> Documented {
        Documented(
            page: page, heading: "Request: \(what)", type: "\(type)", isCanonical: false, envelope: ["transaction"]
        ) { bytes in
            let body = try Request(parsing: bytes).body(B.self)
            return (body, Request.bytes(of: body))
        }
    }

    static func response<B: Body>(_ page: String, _ what: String, _ type: B.Type) -> Documented {
        Documented(
            page: page, heading: "Response: \(what)", type: "\(type)", isCanonical: true,
            envelope: ["v", "ok", "error", "transaction"]
        ) { bytes in
            let response = try Response<B>(parsing: bytes)
            guard case .done(let body) = response.outcome else { throw PayloadRefusal.missing("ok") }
            return (body, response.bytes)
        }
    }

    /// Every payload, request and response of the reference.
    static let all: [Documented] = [
        .payload("GatewayInfo", GatewayInfo.self), .payload("Telemetry", Telemetry.self),
        .payload("RangedState", RangedState.self), .payload("BeaconEvent", BeaconEvent.self),
        .payload("RegionState", RegionState.self), .payload("RegionEvent", RegionEvent.self),
        .payload("RegistryItem", RegistryItem.self), .payload("RegistryRegion", Region.self),
        .payload("RegistryManifest", RegistryManifest.self), .payload("RegistryPart", RegistryPart.self),
        .payload("ItemLocation", ItemLocation.self), .payload("ItemHealth", ItemHealth.self),
        .payload("ItemAliases", ItemAliases.self),
        .payload("ItemEvent", ItemEvent.self), .payload("Notification", Messages.Notification.self),
        .payload("NotificationEvent", NotificationEvent.self), .payload("AggregatorInfo", AggregatorInfo.self),
        .payload("BeaconShares", BeaconShares.self), .payload("PersonLocation", PersonLocation.self),
        .payload("PersonEvent", PersonEvent.self), .payload("RoomContents", RoomContents.self),
        .response("GatewayRequests", "regions/state", RegionStatesResponse.self),
        .response("GatewayRequests", "beacons", BeaconsResponse.self),
        .request("GatewayRequests", "events", EventsRequest.self),
        .response("GatewayRequests", "events", EventsResponse.self),
        .request("GatewayRequests", "settings", GatewayChange.self),
        .request("AggregatorRequests", "items/add", NewItem.self),
        .response("AggregatorRequests", "items/add", ItemResponse.self),
        .request("AggregatorRequests", "items/import", ImportedItems.self),
        .response("AggregatorRequests", "items/import", ImportResponse.self),
        .request("AggregatorRequests", "items/remove", NameOrID.self),
        .request("AggregatorRequests", "items/rename", RenamedItem.self),
        .request("AggregatorRequests", "items/edit", EditedItem.self),
        .request("AggregatorRequests", "items/acknowledge", NameOrID.self),
        .request("AggregatorRequests", "regions/add", NewRegion.self),
        .response("AggregatorRequests", "regions/add", RegionResponse.self),
        .request("AggregatorRequests", "regions/remove", NameOrID.self),
        .request("AggregatorRequests", "gateways/remove", NameOrID.self),
        .request("AggregatorRequests", "people/add", Person.self),
        .response("AggregatorRequests", "people/add", PersonResponse.self),
        .request("AggregatorRequests", "people/edit", EditedPerson.self),
        .request("AggregatorRequests", "people/remove", NameOrID.self),
        .request("AggregatorRequests", "survey/start", SurveyRequest.self),
        .response("AggregatorRequests", "survey/start", SurveyResponse.self),
        .request("AggregatorRequests", "survey/stop", SurveyEnd.self),
        .request("AggregatorRequests", "survey/remove", NameOrID.self),
        .response("AggregatorRequests", "learning", LearningResponse.self),
        .request("AggregatorRequests", "history", HistoryRequest.self),
        .response("AggregatorRequests", "history", HistoryResponse.self),
        .request("AggregatorRequests", "people/test", NameOrID.self),
        .response("AggregatorRequests", "people/test", ChannelTestResponse.self),
        .request("AggregatorRequests", "people/acknowledge", MessageToken.self),
        .request("AggregatorRequests", "forgotten", ForgottenRequest.self),
        .response("AggregatorRequests", "forgotten", ForgottenResponse.self),
        .request("AggregatorRequests", "stays", StaysRequest.self),
        .response("AggregatorRequests", "stays", StaysResponse.self),
    ]

    /// The rows and examples of the payload's section.
    func section() throws -> ReferencePage.Section {
        let page = try ReferencePage(named: page)
        guard let heading else {
            return page.sections.reduce(into: ReferencePage.Section(heading: self.page)) {
                $0.rows += $1.rows
                $0.examples += $1.examples
            }
        }
        return try #require(page.sections.first { $0.heading == heading }, "no section \"\(heading)\"")
    }
}
