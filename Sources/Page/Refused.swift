import Hummingbird
import Messages
import SiteClient

/// Why a request is refused: a status, and one sentence.
struct Refused: Error {
    var status: HTTPResponse.Status
    var sentence: String
    var headers: HTTPFields = [:]

    init(_ status: HTTPResponse.Status, _ sentence: String, headers: HTTPFields = [:]) {
        self.status = status
        self.sentence = sentence
        self.headers = headers
    }

    /// Clients have not taken what was sent before.
    static let tooMuchWaits = Refused(
        .serviceUnavailable, "Too much waits for clients that read slowly: ask again in a while.",
        headers: [.retryAfter: "5"])

    /// As many requests wait as may.
    static let tooManyRequests = Refused(.serviceUnavailable, "Too many requests wait for the aggregator.")
    static let tooManyAcknowledgements = Refused(
        .tooManyRequests, "Too many acknowledgements wait for the aggregator: try again.",
        headers: [.retryAfter: "1"])

    /// A body that is not what the request needs.
    init(_ refusal: PayloadRefusal) { self.init(.badRequest, "The body cannot be used: \(refusal)") }

    /// The aggregator's own refusal.
    init(refusedByAggregator sentence: String) {
        self.init(isAboutUnknownName(sentence) ? .notFound : .conflict, sentence)
    }
}
