import Beacons
import Messages
import Text

/// One attempt to bring a message over one channel, or to remove the message from the phone.
package struct Delivery: Hashable, Sendable {
    /// What the phone is to show.
    package enum Content: Hashable, Sendable {
        /// The message, with the token that acknowledges it.
        case message(PersonalMessage, token: String)
        /// Nothing any more.
        case nothing
    }

    /// The number by which the outcome is reported.
    package var number: UInt64
    package var channel: ChannelSettings
    /// The name of the message on the phone. What has the same tag replaces what the phone shows.
    package var tag: String
    package var content: Content
    /// The URL of the page, for phones; `nil`: none was configured.
    package var page: String?
    /// The language of what stands on a phone beside the message.
    package var texts = Texts.english

    /// The program that carries out the delivery.
    ///
    /// - Parameters:
    ///   - secret: reads the one line of a file with a secret.
    ///   - path: the path from which a program may read a file with a secret.
    ///   - random: encrypts, so nobody may be able to guess what it draws.
    /// - Returns: The program; `nil` if the file of the site's key holds no key.
    package func program<Problem: Error>(
        path: (String) -> String, secret: (String) throws(Problem) -> String, at now: WallTime,
        using random: inout some RandomNumberGenerator
    ) throws(Problem) -> DeliveryProgram? {
        switch channel.kind {
        case .ntfy(let server, let topicFile, let tokenFile):
            let (topic, token) = (try secret(topicFile), try tokenFile.map(secret))
            return curl(ntfy(server, topic: topic, token: token))
        case .homeAssistant(let server, let service, let tokenFile):
            return curl(homeAssistant(server, service: service, token: try secret(tokenFile), at: now))
        case .apprise(let file):
            return DeliveryProgram(words: ["apprise", "--config", path(file)], input: Array(plainText.utf8))
        case .command(let words): return DeliveryProgram(words: words, input: commandInput)
        case .webPush(let subscription, let keyFile):
            return PrivateKey(try secret(keyFile)).map { key in
                curl(webPush(subscription, key, at: now, using: &random))
            }
        }
    }

    private func curl(_ request: HTTPRequest) -> DeliveryProgram {
        DeliveryProgram(
            words: HTTPRequest.words, input: request.configuration,
            attachment: request.isAttached ? request.body : nil)
    }

    /// The title and the text that the channel may carry.
    private func shown(_ message: PersonalMessage) -> (title: String, text: String) {
        channel.isPrivate
            ? ("Forgetmenot", texts.localized("There is something for you: open the page."))
            : (message.title, message.text)
    }

    // MARK: ntfy

    private func ntfy(_ server: String, topic: String, token: String?) -> HTTPRequest {
        let authorization = token.map { ["Authorization: Bearer \($0)"] } ?? []
        guard case .message(let message, let acknowledgement) = content else {
            // Marks the message as read, and takes it from the screen.
            return HTTPRequest(method: "PUT", url: "\(server)/\(topic)/\(tag)/clear", headers: authorization)
        }
        let (title, text) = shown(message)
        let body = jsonObject { json in
            json.field("topic", topic)
            json.field("title", title)
            json.field("message", text)
            json.field("priority", message.isUrgent ? 5 : 3)
            json.field("tags", ["key"])
            json.field("sequence_id", tag)
            json.field("click", page)
            if let page {
                json.array("actions") { json in
                    json.object { json in
                        json.field("action", "http")
                        json.field("label", texts.localized("Acknowledge"))
                        json.field("url", "\(page)/acknowledge/\(acknowledgement)")
                        json.field("method", "POST")
                        json.field("clear", true)
                    }
                }
            }
        }
        return HTTPRequest(url: server, headers: authorization + ["Content-Type: application/json"], body: body)
    }

    // MARK: Home Assistant

    private func homeAssistant(_ server: String, service: String, token: String, at now: WallTime) -> HTTPRequest {
        let body = jsonObject { json in
            guard case .message(let message, let acknowledgement) = content else {
                json.field("message", "clear_notification")
                return json.object("data") { $0.field("tag", tag) }
            }
            let (title, text) = shown(message)
            json.field("title", title)
            json.field("message", text)
            json.object("data") { json in
                json.field("tag", tag)
                json.field("url", page)
                json.field("clickAction", page)
                // In ms: Home Assistant's relay passes the number on to Google's library. Without it, an offline phone gets the message for weeks.
                json.field("ttl", Int64(rest(at: now).seconds * 1000))
                if message.isUrgent {
                    // Of Android, which otherwise may deliver minutes later, and of iOS.
                    json.field("priority", "high")
                    json.object("push") { $0.field("interruption-level", "time-sensitive") }
                }
                json.array("actions") { json in
                    json.object { json in
                        json.field("action", "FORGETMENOT_\(acknowledgement)")
                        json.field("title", texts.localized("Acknowledge"))
                    }
                }
            }
        }
        return HTTPRequest(
            url: "\(server)/api/services/notify/\(service)",
            headers: ["Authorization: Bearer \(token)", "Content-Type: application/json"], body: body)
    }

    // MARK: Web Push

    private func webPush(
        _ subscription: PushSubscription, _ key: PrivateKey, at now: WallTime,
        using random: inout some RandomNumberGenerator
    ) -> HTTPRequest {
        let push = PushRequest(
            subscription: subscription, key: key, contact: page.flatMap { $0.hasPrefix("https:") ? $0 : nil })
        // Without its text if names in it are so unusual that JSON needs more room for them than push services have.
        let message = pushed().count <= PushRequest.most ? pushed() : pushed(hasText: false)
        let isUrgent = if case .message(let message, _) = content { message.isUrgent } else { false }
        return push.request(
            message, topic: tag, timeToLive: rest(at: now), isUrgent: isUrgent, at: now, using: &random)
    }

    /// For how long a push service may try to deliver, if the phone has no network.
    private func rest(at now: WallTime) -> Interval {
        let age = if case .message(let message, _) = content { now - message.at } else { Interval.zero }
        return max(.seconds(60), min(PersonalMessage.longestDelay, PersonalMessage.longestDelay - age))
    }

    /// What the page's service worker gets.
    private func pushed(hasText: Bool = true) -> [UInt8] {
        jsonObject { json in
            json.field("tag", tag)
            guard case .message(let message, let token) = content else { return }
            let (title, text) = shown(message)
            json.field("title", title)
            json.field("text", hasText ? text : nil)
            json.field("urgent", message.isUrgent)
            json.field("token", token)
        }
    }

    // MARK: Programs

    /// What Apprise reads: a title in the arguments could be read by every user of the machine.
    private var plainText: String {
        guard case .message(let message, _) = content else { return "" }
        let (title, text) = shown(message)
        return "\(title)\n\(text)\n"
    }

    private var commandInput: [UInt8] {
        guard case .message(let message, let token) = content else { return [] }
        let (title, text) = shown(message)
        return jsonObject { json in
            json.field("v", 1)
            json.field("person", message.person)
            json.field("title", title)
            json.field("text", text)
            json.field("urgent", message.isUrgent)
            json.field("at", message.at)
            json.field("tag", tag)
            json.field("token", token)
            json.field("page", page)
        }
    }
}

/// A program that carries out a delivery.
package struct DeliveryProgram: Hashable, Sendable {
    /// The program and its arguments, without secrets.
    package var words: [String]
    /// What the program reads from its standard input.
    package var input: [UInt8]
    /// What the program reads from descriptor 3; `nil`: nothing.
    package var attachment: [UInt8]?
}
