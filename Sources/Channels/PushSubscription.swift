import Beacons
import CCrypto
import Messages

/// What a browser has given so that messages for a person reach it, also while no page is open: a push subscription (RFC 8030).
package struct PushSubscription: Hashable, Sendable {
    /// The most subscriptions of one person.
    package static let most = 10
    /// The longest URL of a push service, in bytes.
    package static let longestEndpoint = 1024
    /// The longest name, in bytes.
    package static let longestName = 64
    /// The push services of the browsers in use: hosts, or `*.` and the end of hosts.
    package static let usualServices = [
        "fcm.googleapis.com", "updates.push.services.mozilla.com", "*.push.apple.com", "*.notify.windows.com",
    ]

    package var person: String
    /// The browser and its system, like "Firefox on Android".
    package var name: String
    /// The URL at which the push service takes messages. Who knows the URL can send something, but nothing that the browser can decrypt.
    package let endpoint: String
    let publicKey: [UInt8]
    /// The secret of browser and site: 16 bytes.
    let secret: [UInt8]

    /// The id, which follows from the endpoint: 12 hexadecimal digits. From the id, nobody finds the endpoint.
    package var id: String {
        var digest = [UInt8](repeating: 0, count: 32)
        SHA256(Array(endpoint.utf8), endpoint.utf8.count, &digest)
        return hexadecimal(Array(digest.prefix(6)))
    }

    /// The scheme and the host of the push service: the audience of RFC 8292.
    var origin: Substring { endpoint[..<(endpoint.dropFirst(8).firstIndex(of: "/") ?? endpoint.endIndex)] }

    /// Whether the push service is one of a list. Where the list has an origin like `http://127.0.0.1:8080`, that origin may have no TLS.
    package func isAt(_ services: [String]) -> Bool {
        guard !services.contains(String(origin)) else { return true }
        guard endpoint.hasPrefix("https://") else { return false }
        let host = origin.dropFirst("https://".count)
        return services.contains { $0.hasPrefix("*.") ? host.hasSuffix($0.dropFirst()) : host == $0 }
    }

    /// Whether curl and our own reader see the same host in a URL of a browser, which writes it in its usual form.
    private static func isPlain(_ endpoint: String) -> Bool {
        let isVisible = endpoint.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        return isVisible && endpoint.utf8.count <= longestEndpoint
            && endpoint.wholeMatch(of: /https?:\/\/[a-z0-9.-]+(:[0-9]+)?\/.*/) != nil
    }
}

extension PushSubscription: Members {
    package func writeFields(to json: inout JSONWriter) {
        json.field("person", person)
        json.field("name", name)
        json.field("endpoint", endpoint)
        json.object("keys") { json in
            json.field("p256dh", base64URL(publicKey))
            json.field("auth", base64URL(secret))
        }
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        try self.init(of: try fields.id("person"), reading: &fields)
    }

    /// Reads what a browser has given: the object of `PushSubscription.toJSON()`, and a name.
    package init(of person: String, reading fields: inout Fields) throws(PayloadRefusal) {
        self.person = person
        name = try fields.parsed("name") { name in
            let isPrinted = name.unicodeScalars.allSatisfy {
                $0 == " " || !$0.properties.isWhitespace && $0.properties.generalCategory != .control
            }
            return isPrinted && (1...Self.longestName).contains(name.utf8.count) ? name : nil
        }
        endpoint = try fields.parsed("endpoint") { Self.isPlain($0) ? $0 : nil }
        guard let object = try fields.optionalObject("keys") else { throw .missing("keys") }
        var keys = Fields(object)
        publicKey = try keys.parsed("p256dh") { text in
            bytes(ofBase64URL: text).flatMap { PrivateKey.isPublicKey($0) ? $0 : nil }
        }
        secret = try keys.parsed("auth") { text in bytes(ofBase64URL: text).flatMap { $0.count == 16 ? $0 : nil } }
    }
}

/// The file `subscriptions.json` of the state folder, which the page writes.
package struct PushSubscriptions: Payload {
    package static let file = "subscriptions.json"
    /// The name of the file with the site's key, which signs requests to push services (RFC 8292).
    package static let keyFile = "push.key"

    package var all: [PushSubscription]

    package init(_ all: [PushSubscription] = []) { self.all = all }

    package func writeFields(to json: inout JSONWriter) { json.array("subscriptions", all) }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        all = try fields.entries("subscriptions", limit: .max)
    }

    package static var limits: JSONLimits { .ownFile }
}
