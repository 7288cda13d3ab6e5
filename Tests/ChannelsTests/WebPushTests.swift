import Beacons
import CCrypto
import Messages
import Testing

@testable import Channels

/// The browser of RFC 8291, appendix A, which a person uses.
enum Browser {
    /// A key of a site: the one with which the RFC's message is encrypted.
    static let siteKey = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
    static let text = #"""
        {"name":"Firefox on Android","endpoint":"https://updates.push.services.mozilla.com/wpush/v2/gAAAA","expirationTime":null,"keys":{\#
        "p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",\#
        "auth":"BTBZMqHH6r4Tts7J_aSIgg"}}
        """#

    static func subscription(of person: String = "anna", _ text: String = text) throws(PayloadRefusal)
        -> PushSubscription
    {
        var fields = Fields(try! JSONValue(parsing: Array(text.utf8), limits: .payload).object!)
        return try PushSubscription(of: person, reading: &fields)
    }

    static let annas = ChannelSettings(
        person: "anna", kind: .webPush(try! subscription(), keyFile: "/var/lib/forgetmenot/push.key"))
}

struct WebPushTests {
    private func push(at endpoint: String? = nil, contact: String? = nil) throws -> PushRequest {
        let text = endpoint.map {
            Browser.text.replacing("https://updates.push.services.mozilla.com/wpush/v2/gAAAA", with: $0)
        }
        return PushRequest(
            subscription: try Browser.subscription(text ?? Browser.text), key: PrivateKey(Browser.siteKey)!,
            contact: contact)
    }

    private func delivery(_ text: String = "You left without your keys.", isWithdrawal: Bool = false) -> Delivery {
        var message = Post.message(text: text)
        message.isUrgent = true
        return Delivery(
            number: 1, channel: Browser.annas, tag: message.tag,
            content: isWithdrawal ? .nothing : .message(message, token: "c0ffee"), page: "https://home.example")
    }

    private func lines(_ delivery: Delivery) -> [String] {
        String(decoding: delivery.program().input, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    // MARK: The standards

    @Test func `the message of RFC 8291 is encrypted as in its appendix A`() throws {
        let body = try push().encrypted(
            Array("When I grow up, I want to be a watermelon".utf8),
            salt: bytes(ofBase64URL: "DGv6ra1nlYgDCS1FRnbzlw")!,
            by: PrivateKey(Browser.siteKey)!)
        #expect(
            base64URL(body) == """
                DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6Tl\
                zAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN
                """)
    }

    @Test func `a token has the header and the claims of RFC 8292, section 2.4, and its signature is valid, each time`()
        throws
    {
        let push = try push(at: "https://push.example.net/x", contact: "mailto:push@example.com")
        let expiry = WallTime(milliseconds: 1_453_523_768_000)
        // A number of a signature may begin with a zero, or with a bit that DER writes a zero before.
        for _ in 0..<16 {
            let parts = push.token(at: expiry - .seconds(12 * 3600)).split(separator: ".")
            #expect(
                parts[0] == "eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9"
                    && parts[1] == """
                        eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4\
                        YW1wbGUuY29tIn0
                        """
            )
            #expect(isValid(parts, by: push.key.publicKey))
        }
        // The RFC's own, by which this test's reader of signatures is tested.
        let published = """
            eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3\
            NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDX\
            b1JrErtmysazNjjvW2L9OkSSHzvoD1oA
            """.split(separator: ".")
        let key = bytes(
            ofBase64URL: "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs")!
        #expect(isValid(published, by: key) && !isValid(published, by: push.key.publicKey))
    }

    /// Whether the third part is the signature of the first two, by libcrypto's own reader.
    private func isValid(_ parts: [Substring], by point: [UInt8]) -> Bool {
        let raw = bytes(ofBase64URL: String(parts[2]))!
        // Two positive integers of DER.
        let der = [raw.prefix(32), raw.suffix(32)].flatMap { half -> [UInt8] in
            let digits = Array(half.drop { $0 == 0 })
            let integer = digits[0] > 0x7F ? [0] + digits : digits
            return [2, UInt8(integer.count)] + integer
        }
        let signature = [0x30, UInt8(der.count)] + der
        let header: [UInt8] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
            0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
        ]
        let key = (header + point).withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            return d2i_PUBKEY(nil, &start, buffer.count)
        }
        let context = EVP_MD_CTX_new()
        defer {
            EVP_PKEY_free(key)
            EVP_MD_CTX_free(context)
        }
        let signed = Array("\(parts[0]).\(parts[1])".utf8)
        return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
            && EVP_DigestVerify(context, signature, signature.count, signed, signed.count) == 1
    }

    @Test func `a key that is made is another each time, and is read back`() {
        var random = SplitMix64(seed: 3)
        let keys = (0..<2).map { _ in PrivateKey(using: &random) }
        #expect(keys[0].text != keys[1].text && PrivateKey(keys[0].text)?.publicKey == keys[0].publicKey)
        for text in [
            "", "AAAA", String(repeating: "A", count: 43), base64URL([UInt8](repeating: 0xFF, count: 32)), "ä",
        ] {
            #expect(PrivateKey(text) == nil, "\(text)")
        }
    }

    // MARK: What a push service gets

    @Test func `a push service gets no word of the message, and all messages are equally long`() {
        let (short, long) = (delivery().program(), delivery(String(repeating: "keys ", count: 150)).program())
        #expect(short.words == ["curl", "--disable", "--config", "-"])
        let text = String(decoding: short.input, as: UTF8.self)
        for word in ["keys", "Forgotten", "anna", "forgetmenot-", "c0ffee"] { #expect(!text.contains(word), "\(word)") }
        #expect(lines(delivery()).last == "data-binary = \"@/proc/self/fd/3\"")
        let withdrawal = delivery(isWithdrawal: true).program()
        #expect(Set([short, long, withdrawal].map { $0.attachment!.count }) == [16 + 4 + 1 + 65 + 2049 + 16])
        #expect(short.attachment != delivery("You left without your bag.").program().attachment)
    }

    @Test
    func
        `a later message about the same has the same topic, at this browser alone, and a time to live of what is left`()
        throws
    {
        let headers = lines(delivery()).filter { $0.hasPrefix("header") }
        #expect(headers[0] == "header = \"TTL: 18000\"" && headers[1] == "header = \"Urgency: high\"")
        let topic = try #require(headers[2].firstMatch(of: /Topic: ([A-Za-z0-9_-]+)"/)).1
        #expect(topic.count == 24 && lines(delivery("Another.")).contains(headers[2]))
        let other = Browser.text.replacing("BTBZ", with: "CTBZ")
        var elsewhere = delivery()
        elsewhere.channel.kind = .webPush(try Browser.subscription(other), keyFile: "/push.key")
        #expect(!lines(elsewhere).contains(headers[2]))
    }

    @Test func `a message with names that JSON writes in six times the room has no text`() {
        let body = delivery(String(repeating: "\u{1}", count: 1000)).program().attachment
        #expect(body!.count <= 4096)
    }

    @Test(arguments: [
        ("201", nil), ("404", "the browser has ended its subscription"),
        ("410 ", "the browser has ended its subscription"),
        ("403 ", "HTTP status 403: check this machine's clock and page.url, or subscribe the browser again"),
        ("429 120", "HTTP status 429: the server wants fewer messages"), ("500 ", "HTTP status 500"),
    ])
    func `a status of a push service is a reason`(output: String, reason: String?) {
        let outcome = DeliveryOutcome(of: delivery(), status: 0, output: Array(output.utf8))
        #expect(outcome.problem == reason)
        #expect((outcome == .ended) == ["404", "410 "].contains(output))
    }

    @Test func `a push service that wants a pause gets one, of an hour at most`() {
        for (output, pause) in [("429 120", 120.0), ("503 999999", 3600), ("429 Fri, 27 Nov 2026", nil), ("429 ", nil)]
        {
            let outcome = DeliveryOutcome(of: delivery(), status: 0, output: Array(output.utf8))
            guard case .refused(_, let requested) = outcome else { Issue.record("\(outcome)"); continue }
            #expect(requested?.seconds == pause, "\(output)")
        }
        var post = Post([Browser.annas])
        post.apply(.send(Post.message()))
        let sent = post.run(for: .seconds(700)) { _, _ in .refused("HTTP status 429", pause: .seconds(300)) }
        #expect(sent.count == 3)
    }

    // MARK: Subscriptions

    @Test func `only the push services of a list get requests, and only by TLS`() throws {
        let accepted = [
            "https://fcm.googleapis.com/fcm/send/x:y", "https://web.push.apple.com/Q",
            "https://wns2-par02p.notify.windows.com/w/?token=a%2b",
        ]
        for endpoint in accepted {
            #expect(try push(at: endpoint).subscription.isAt(PushSubscription.usualServices), "\(endpoint)")
        }
        let refused = [
            "http://fcm.googleapis.com/x", "https://127.0.0.1/x", "https://fcm.googleapis.com.evil.example/x",
            "https://evilpush.apple.com/x",
            "https://push.apple.com/x", "https://fcm.googleapis.com:8443/x", "https://localhost/fcm.googleapis.com/",
        ]
        for endpoint in refused {
            #expect(try !push(at: endpoint).subscription.isAt(PushSubscription.usualServices), "\(endpoint)")
        }
        let own = try push(at: "http://127.0.0.1:8080/x").subscription
        #expect(
            own.isAt(["http://127.0.0.1:8080"]) && !own.isAt(["127.0.0.1:8080"]) && !own.isAt(["http://127.0.0.1:80"]))
    }

    @Test(arguments: [
        "https://a@fcm.googleapis.com/x", "https://fcm.googleapis.com#@evil.example/x", "https://FCM.googleapis.com/x",
        "ftp://x/y",
        "https://fcm.googleapis.com", "https://fcm.googleapis.com\\\\@x/y", "https://fcm.googleapis.com/ x",
        "file:///etc/passwd",
        "https://fcm.googleapis.com/" + String(repeating: "x", count: 1024),
    ])
    func `an endpoint that two readers may read in two ways is refused`(endpoint: String) {
        #expect(throws: PayloadRefusal.malformed("endpoint")) { try push(at: endpoint) }
    }

    @Test(arguments: [
        ("p256dh", "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4", "BCVx"),
        ("p256dh", "oIAiw4", "oIAiw8"), ("auth", "BTBZMqHH6r4Tts7J_aSIgg", "BTBZ"), ("name", "Firefox on Android", ""),
        ("name", "Firefox on Android", "a\\nb"),
    ])
    func `a subscription with a key of another kind, or without a name, is refused`(
        key: String, part: String, other: String
    ) {
        #expect(throws: PayloadRefusal.malformed(key)) {
            try Browser.subscription(Browser.text.replacing(part, with: other))
        }
    }

    @Test
    func `subscriptions are read back from their file, and their names in problems have neither endpoint nor keys`()
        throws
    {
        let subscriptions = PushSubscriptions([try Browser.subscription(), try Browser.subscription(of: "ben")])
        var json = JSONWriter()
        subscriptions.write(to: &json)
        #expect(try PushSubscriptions(parsing: json.bytes) == subscriptions)
        let channels = ChannelSettings.all(in: subscriptions, at: PushSubscription.usualServices, keyFile: "k")
        #expect(channels.map(\.person) == ["anna", "ben"])
        #expect(
            channels[0].name == "Firefox on Android (\(subscriptions.all[0].id))" && subscriptions.all[0].id.count == 12
        )
        #expect(ChannelSettings.all(in: subscriptions, at: ["fcm.googleapis.com"], keyFile: "k").isEmpty)
    }

    // MARK: Channels that come and go

    @Test func `a browser that subscribes gets what is true now, and one that has ended gets nothing, twice`() {
        var post = Post()
        post.apply(.send(Post.message()))
        _ = post.run(for: .seconds(10)) { _, _ in .taken }
        for _ in 0..<2 {
            post.messages.configure([Post.anna, Browser.annas], at: post.now.instant)
            #expect(post.run(for: .seconds(10)) { _, _ in .taken }.map(\.channel) == [Browser.annas])
            post.messages.configure([Post.anna], at: post.now.instant)
            #expect(post.run(for: .seconds(10)) { _, _ in .taken } == [])
        }
        post.messages.configure([Post.anna, Browser.annas], at: post.now.instant)
        post.apply(.acknowledged(item: "keys"))
        #expect(post.run(for: .seconds(10)) { _, _ in .taken }.map(\.channel) == [Post.anna])
    }

    @Test func `a message that was under way to a browser that ends is reported as one that reached nobody`() {
        var post = Post([Browser.annas])
        post.apply(.send(Post.message()))
        let sent = post.start()
        post.finish(sent[0], .ended)
        #expect(post.start() == [] && post.messages.isIdle)
        #expect(
            post.messages.problems.count == 1
                && post.messages.problems[0].hasPrefix("Messages to anna reach nobody: subscribe"))
        post.messages.configure([Browser.annas], at: post.now.instant)
        post.apply(.send(Post.message(text: "Another.")))
        #expect(post.run(for: .seconds(5)) { _, _ in .taken }.count == 1 && post.messages.problems == [])
    }

    @Test func `a browser that has ended gets nothing from that moment on, and the others go on`() {
        var post = Post([Post.anna, Browser.annas])
        for key in ["forgotten", "taken"] {
            post.messages.configure([Post.anna, Browser.annas], at: post.now.instant)
            post.apply(.send(Post.message(key)))
            let sent = post.run(for: .seconds(600)) { delivery, _ in
                delivery.channel == Browser.annas ? .ended : .taken
            }
            #expect(sent.map(\.channel) == [Post.anna, Browser.annas] && post.messages.channels == [Post.anna])
            #expect(post.messages.problems == [])
            post.apply(.withdraw(person: "anna", key: key))
            #expect(post.run(for: .seconds(10)) { _, _ in .taken }.map(\.channel) == [Post.anna])
        }
    }

    @Test func `a browser that took a message gets it no more after a restart`() {
        var post = Post([Browser.annas])
        post.apply(.send(Post.message()))
        _ = post.run(for: .seconds(10)) { _, _ in .taken }
        for _ in 0..<2 {
            post.restart()
            #expect(post.run(for: .seconds(10)) { _, _ in .taken } == [])
        }
    }
}
