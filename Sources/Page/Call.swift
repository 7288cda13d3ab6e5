import Beacons
import Hummingbird
import Messages

/// One request that has passed authentication.
struct Call: Sendable {
    var caller: Caller
    /// Whether only the headers of the response are sent.
    var isHead = false
    var headers: HTTPFields
    /// The address of the other end; that of the proxy, if there is one.
    var address: String
    var parameters: [String: String]
    var query: [String: String]
    var body: [UInt8]
    /// Closes the connection.
    var cutOff: @Sendable () -> Void

    func parameter(_ name: String) -> String { parameters[name] ?? "" }

    func object(limits: JSONLimits = .payload) throws(Refused) -> JSONObject {
        let value: JSONValue
        do throws(JSONRefusal) { value = try JSONValue(parsing: body, limits: limits) } catch {
            throw Refused(.badRequest, "The body is not JSON that can be read (\(error.rawValue)).")
        }
        guard let object = value.object else { throw Refused(.badRequest, "The body is not a JSON object.") }
        return object
    }

    /// The body, read as a request of the aggregator.
    func read<Body: Messages.Body>(_: Body.Type) throws(Refused) -> Body {
        let object = try object()
        do throws(PayloadRefusal) { return try Body(requestedBy: object) } catch { throw Refused(error) }
    }

    /// A time of the query; `nil` if it is absent.
    func time(_ name: String) throws(Refused) -> WallTime? {
        guard let text = query[name] else { return nil }
        guard let time = WallTime(text) else {
            throw Refused(.badRequest, "\"\(name)\" is not a time like 2026-11-22T14:00:00Z.")
        }
        return time
    }

    /// A number of the query; `nil` if it is absent.
    func number(_ name: String, in range: ClosedRange<Int>) throws(Refused) -> Int? {
        guard let text = query[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw Refused(
                .badRequest, "\"\(name)\" is not a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    /// `true` or `false` of the query; `nil` if it is absent.
    func flag(_ name: String) throws(Refused) -> Bool? {
        switch query[name] {
        case nil: nil
        case "true": true
        case "false": false
        default: throw Refused(.badRequest, "\"\(name)\" is neither true nor false.")
        }
    }
}

extension Response {
    static func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// A response with one JSON object, whose members `body` writes.
    static func json(status: HTTPResponse.Status = .ok, _ body: (inout JSONWriter) -> Void) -> Response {
        json(jsonObject(body), status: status)
    }

    /// A response without a body.
    static var nothing: Response { Response(status: .noContent, headers: [.cacheControl: "no-store"]) }

    static func text(_ text: String, _ type: String = "text/plain; charset=utf-8", status: HTTPResponse.Status = .ok)
        -> Response
    {
        Response(
            status: status, headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

extension JSONObject {
    /// Refuses a member of a request's body that nobody would read.
    func refuseOthers(than keys: String...) throws(Refused) {
        guard let other = members.first(where: { !keys.contains($0.key) })?.key else { return }
        throw Refused(PayloadRefusal.unknown(other, meant: nearest(to: other, among: keys)))
    }
}
