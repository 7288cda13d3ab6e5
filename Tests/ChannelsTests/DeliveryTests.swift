import Testing
import Text

@testable import Channels

/// What the servers and programs get, to the letter.
struct DeliveryTests {
    private func delivery(
        over channel: ChannelSettings, page: String? = "https://home.example/page", isUrgent: Bool = true,
        isPrivate: Bool = false, isWithdrawal: Bool = false
    ) -> Delivery {
        var (channel, message) = (channel, Post.message(text: "You left \"home\"\\\nwithout your keys. 🔑"))
        (channel.isPrivate, message.isUrgent) = (isPrivate, isUrgent)
        return Delivery(
            number: 1, channel: channel, tag: "forgetmenot-1f",
            content: isWithdrawal ? .nothing : .message(message, token: "c0ffee"),
            page: page)
    }

    private func lines(_ delivery: Delivery) -> [String] {
        String(decoding: delivery.program().input, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func `curl gets what is secret on its standard input, and may neither use a proxy nor follow a redirection`()
    {
        let program = delivery(over: Post.anna).program()
        #expect(program.words == ["curl", "--disable", "--config", "-"])
        #expect(
            lines(delivery(over: Post.anna)) == [
                "silent", "globoff", "noproxy = \"*\"", "proto = \"=http,https\"", "output = \"/dev/null\"",
                "write-out = \"%{http_code} %header{retry-after}\"", "max-time = 10", "max-filesize = 65536",
                "request = \"POST\"",
                "url = \"https://ntfy.example\"", "header = \"Content-Type: application/json\"",
                #"""
                data-raw = "{\"topic\":\"Zk3s\",\"title\":\"Forgotten: keys\",\#
                \"message\":\"You left \\\"home\\\"\\\\\\nwithout your keys. 🔑\",\"priority\":5,\"tags\":[\"key\"],\#
                \"sequence_id\":\"forgetmenot-1f\",\"click\":\"https://home.example/page\",\"actions\":[{\#
                \"action\":\"http\",\"label\":\"Acknowledge\",\"url\":\"https://home.example/page/acknowledge/c0ffee\",\#
                \"method\":\"POST\",\"clear\":true}]}"
                """#,
            ])
    }

    @Test func `what stands beside a message is in the language of the site`() {
        var german = delivery(over: Post.anna)
        german.texts = Texts([
            "Acknowledge": "Bestätigen", "There is something for you: open the page.": "Öffne die Seite.",
        ])
        #expect(lines(german).last?.contains(#"\"label\":\"Bestätigen\""#) == true)
        german.channel = Post.annaAtHome
        #expect(lines(german).last?.contains(#"\"title\":\"Bestätigen\""#) == true)
        german.channel.isPrivate = true
        #expect(lines(german).last?.contains("Öffne die Seite.") == true)
    }

    @Test func `ntfy gets no button without the page's URL, and a message is withdrawn by its tag`() {
        let quiet = lines(delivery(over: Post.anna, page: nil, isUrgent: false)).last
        #expect(quiet?.contains("actions") == false && quiet?.contains(#"\"priority\":3"#) == true)
        var protected = Post.anna
        protected.kind = .ntfy(server: "https://ntfy.example", topicFile: "/etc/anna.topic", tokenFile: "/etc/token")
        #expect(
            lines(delivery(over: protected, isWithdrawal: true)).suffix(4) == [
                "request = \"PUT\"", "url = \"https://ntfy.example/Zk3s/forgetmenot-1f/clear\"",
                #"header = "Authorization: Bearer a\"secret""#, "data-raw = \"\"",
            ])
    }

    @Test func `Home Assistant's app gets a tag and a button, and clears by the tag`() {
        #expect(
            lines(delivery(over: Post.annaAtHome)).suffix(5) == [
                "request = \"POST\"", "url = \"http://ha.local:8123/api/services/notify/mobile_app_anna\"",
                #"header = "Authorization: Bearer a\"secret""#, "header = \"Content-Type: application/json\"",
                #"""
                data-raw = "{\"title\":\"Forgotten: keys\",\"message\":\"You left \\\"home\\\"\\\\\\nwithout your keys. 🔑\",\#
                \"data\":{\"tag\":\"forgetmenot-1f\",\"url\":\"https://home.example/page\",\#
                \"clickAction\":\"https://home.example/page\",\"ttl\":18000000,\"priority\":\"high\",\#
                \"push\":{\"interruption-level\":\"time-sensitive\"},\#
                \"actions\":[{\"action\":\"FORGETMENOT_c0ffee\",\"title\":\"Acknowledge\"}]}}"
                """#,
            ])
        #expect(
            lines(delivery(over: Post.annaAtHome, isWithdrawal: true)).last
                == #"data-raw = "{\"message\":\"clear_notification\",\"data\":{\"tag\":\"forgetmenot-1f\"}}""#)
    }

    @Test func `Apprise gets its file by path and the text on its standard input`() {
        let program = delivery(over: ChannelSettings(person: "anna", kind: .apprise(file: "/etc/anna.apprise")))
            .program()
        #expect(program.words == ["apprise", "--config", "/run/credentials/anna.apprise"])
        #expect(
            String(decoding: program.input, as: UTF8.self)
                == "Forgotten: keys\nYou left \"home\"\\\nwithout your keys. 🔑\n")
    }

    @Test func `the user's program gets the message as JSON`() {
        let program = delivery(over: Post.annasProgram, page: nil).program()
        #expect(program.words == ["/usr/bin/tell", "anna"])
        #expect(
            String(decoding: program.input, as: UTF8.self)
                == #"""
                {"v":1,"person":"anna","title":"Forgotten: keys","text":"You left \"home\"\\\nwithout your keys. 🔑",\#
                "urgent":true,"at":"2026-11-25T08:00:00.000Z","tag":"forgetmenot-1f","token":"c0ffee"}
                """#)
    }

    @Test(arguments: [Post.anna, Post.annaAtHome, Post.annasProgram])
    func `a private channel names neither the item nor what happened to it`(channel: ChannelSettings) {
        let input = lines(delivery(over: channel, isPrivate: true)).joined()
        #expect(!input.contains("keys") && input.contains("There is something for you"))
    }

    @Test func `a line break in a secret begins no other option of curl`() {
        let request = HTTPRequest(url: "https://x/\"\noutput = \"/tmp/x", headers: ["Authorization: Bearer \r\n\t"])
        let lines = String(decoding: request.configuration, as: UTF8.self).split(separator: "\n")
        #expect(lines.contains(#"url = "https://x/\"\noutput = \"/tmp/x""#))
        #expect(lines.contains(#"header = "Authorization: Bearer \r\n\t""#))
    }

    @Test(arguments: [
        (0, "200", nil), (0, "204", nil), (0, "301", "HTTP status 301: write the URL that the server redirects to"),
        (0, "401", "HTTP status 401: check the token"), (0, "404", "HTTP status 404"),
        (0, "429", "HTTP status 429: the server wants fewer messages"), (0, "500", "HTTP status 500"),
        (0, "", "HTTP status 0"), (6, "000", "the host is unknown"), (7, "000", "the server cannot be reached"),
        (28, "000", "no response within 10 s"), (60, "000", "the server's certificate is not trusted"),
        (52, "000", "the server closed the connection without a response"), (92, "000", "curl's error 92"),
        (63, "000", "the server's response is too large for a push service's"),
    ])
    func `an outcome of curl is a reason`(status: Int32, output: String, reason: String?) {
        let outcome = DeliveryOutcome(of: delivery(over: Post.anna), status: status, output: Array(output.utf8))
        #expect(outcome.problem == reason)
        // After these the message is on no phone.
        let isCertain = if case .uncertain = outcome { false } else { true }
        #expect(isCertain == ![28, 52, 63, 92].contains(status))
    }

    @Test(arguments: [("400", "HTTP status 400: check the service"), ("404", "HTTP status 404")])
    func `a withdrawal is sent again while Home Assistant lacks the phone's service`(output: String, reason: String) {
        let withdrawal = delivery(over: Post.annaAtHome, isWithdrawal: true)
        #expect(DeliveryOutcome(of: withdrawal, status: 0, output: Array(output.utf8)) == .refused(reason))
    }

    @Test func `an ntfy server that cannot clear is done with the withdrawal`() {
        let withdrawal = delivery(over: Post.anna, isWithdrawal: true)
        #expect(DeliveryOutcome(of: withdrawal, status: 0, output: Array("404".utf8)) == .taken)
    }
}
