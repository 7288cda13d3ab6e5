import Beacons
import Messages
import Testing

@testable import Channels

struct PersonalMessagesTests {
    @Test func `a message is delivered once over each channel of its person, and over no other`() throws {
        var post = Post([Post.anna, Post.annaAtHome, ChannelSettings(person: "ben", kind: .command(["tell"]))])
        post.apply(.send(Post.message()))
        let sent = post.run(for: .seconds(3600)) { _, _ in .taken }
        #expect(sent.map(\.channel) == [Post.anna, Post.annaAtHome])
        #expect(post.messages.problems == [])
    }

    @Test(arguments: [
        ([ChannelSettings.Kind.command(["/bin/tell", "a b"]), .command(["/bin/tell", "a", "b"])]),
        [.apprise(file: "/etc/anna/apprise"), .apprise(file: "/etc/home/apprise")],
        [
            .ntfy(server: "https://ntfy.example", topicFile: "/etc/a/topic", tokenFile: nil),
            .ntfy(server: "https://ntfy.example", topicFile: "/etc/b/topic", tokenFile: nil),
        ],
    ])
    func `of two channels with one name, the one that has not taken a message gets it after each restart`(
        kinds: [ChannelSettings.Kind]
    ) {
        let channels = kinds.map { ChannelSettings(person: "anna", kind: $0) }
        #expect(channels[0].name == channels[1].name)
        var post = Post(channels)
        post.apply(.send(Post.message()))
        _ = post.run(for: .seconds(10)) { delivery, _ in delivery.channel == channels[0] ? .taken : .refused("no") }
        for _ in 1...2 {
            post.restart()
            let sent = post.run(for: .seconds(10)) { _, _ in .refused("no") }
            #expect(Set(sent.map(\.channel)) == [channels[1]])
        }
    }

    @Test func `a channel that an earlier version stored by its name has the message, after each restart`() {
        var post = Post([Post.anna, Post.annasProgram])
        post.apply(.send(Post.message()))
        _ = post.run(for: .seconds(10)) { _, _ in .taken }
        var stored = post.messages.stored
        stored[0].done = [Post.anna.name, Post.annasProgram.name]
        for _ in 1...2 {
            post = Post([Post.anna, Post.annasProgram])
            post.messages.restore(stored, at: post.now)
            #expect(post.start() == [])
            stored = post.messages.stored
        }
    }

    @Test func `a message that is handed over again changes nothing`() {
        var post = Post()
        post.apply(.send(Post.message()))
        _ = post.run(for: .seconds(10)) { _, _ in .taken }
        post.messages.hasChanged = false
        post.apply(.send(Post.message()))
        #expect(post.start() == [] && !post.messages.hasChanged)
    }

    @Test
    func `a later message of the same person and key replaces the earlier, under the same tag and with another token`()
    {
        var post = Post()
        post.apply(.send(Post.message()))
        let first = post.run(for: .seconds(10)) { _, _ in .taken }
        post.apply(.send(Post.message(text: "You left without your keys and your wallet.", items: ["keys", "wallet"])))
        let second = post.run(for: .seconds(10)) { _, _ in .taken }
        #expect(first.count == 1 && second.count == 1 && first[0].tag == second[0].tag)
        #expect(second[0].token != first[0].token)
        #expect(post.messages.acknowledge(token: second[0].token, at: post.now.instant)?.items == ["keys", "wallet"])
        #expect(post.messages.acknowledge(token: first[0].token, at: post.now.instant) == nil)
        #expect(Post.message("taken").tag != first[0].tag)
    }

    @Test(arguments: [false, true])
    func `the button of a message that was sent before a repetition acknowledges what that message named, once`(
        isRestarted: Bool
    ) throws {
        var post = Post()
        var tokens: [String] = []
        for (minute, items) in [["keys"], ["keys"], ["keys", "wallet"]].enumerated() {
            post.apply(.send(Post.message(items: items, at: "2026-11-25T08:0\(minute):00Z")))
            tokens += post.run(for: .seconds(60)) { _, _ in .taken }.map(\.token)
        }
        // Decided, and not sent yet.
        post.apply(.send(Post.message(items: ["keys", "wallet"], at: "2026-11-25T08:03:00Z")))
        if isRestarted { post.restart() }
        #expect(Set(tokens).count == 3)
        func acknowledge(_ token: String) -> [String]? {
            post.messages.acknowledge(token: token, at: post.now.instant)?.items
        }
        #expect(acknowledge(tokens[0]) == ["keys"] && acknowledge(tokens[0]) == nil)
        #expect(post.run(for: .seconds(2)) { _, _ in .taken }.map { $0.content == .nothing } == [false])
        #expect(acknowledge(tokens[2]) == ["keys", "wallet"])
        #expect(post.run(for: .seconds(10)) { _, _ in .taken }.map(\.content) == [.nothing])
        #expect(tokens.allSatisfy { acknowledge($0) == nil })
    }

    @Test func `a message has the tokens of the last messages that were sent, and of no other subject`() {
        var post = Post()
        var tokens: [String] = []
        for minute in 10..<40 {
            post.apply(.send(Post.message("taken", at: "2026-11-25T08:\(minute):00Z")))
            tokens += post.run(for: .seconds(2)) { _, _ in .taken }.map(\.token)
        }
        #expect(post.messages.stored[0].formers.map(\.token) == Array(tokens.dropLast().suffix(16)))
        for _ in 1...2 {
            // One that is not sent has no button anywhere.
            post.apply(.send(Post.message(at: "2026-11-25T08:00:00Z")))
            post.apply(.send(Post.message(at: "2026-11-25T08:01:00Z")))
            #expect(post.messages.stored[1].formers == [])
            post.apply(.acknowledged(item: "keys", key: "forgotten"))
            #expect(post.messages.stored.map(\.end) == [nil, .acknowledged])
            post.apply(.withdraw(person: "anna", key: "forgotten"))
            _ = post.run(for: .seconds(2)) { _, _ in .taken }
        }
        #expect(post.messages.acknowledge(token: tokens[29], at: post.now.instant)?.key == "taken")
    }

    @Test func `a message that is replaced while the earlier is under way is sent after it`() {
        var post = Post()
        post.apply(.send(Post.message()))
        let first = post.start()
        post.apply(.send(Post.message(text: "Another text.")))
        #expect(post.start() == [])
        post.finish(first[0])
        let second = post.start()
        #expect(second.map(\.text) == ["Another text."])
        post.finish(second[0])
        #expect(post.start() == [])
    }

    @Test func `a withdrawn message is removed from the phone, and one that was not sent is never sent`() {
        var post = Post([Post.anna, Post.annasProgram])
        post.apply(.send(Post.message()))
        _ = post.run(for: .seconds(10)) { _, _ in .taken }
        post.apply(.withdraw(person: "anna", key: "forgotten"))
        let sent = post.run(for: .seconds(10)) { _, _ in .taken }
        #expect(sent.map(\.content) == [.nothing] && sent[0].channel == Post.anna)
        #expect(post.messages.count == 0)

        post.apply(.send(Post.message()))
        _ = post.run(for: .seconds(10)) { _, _ in .refused("the server cannot be reached") }
        post.apply(.withdraw(person: "anna", key: "forgotten"))
        #expect(post.run(for: .seconds(1000)) { _, _ in .taken } == [])
        #expect(post.messages.count == 0)
    }

    @Test func `a withdrawal follows a delivery whose outcome nobody knows`() {
        var post = Post()
        post.apply(.send(Post.message()))
        post.finish(post.start()[0], .uncertain("no response within 10 s"))
        post.apply(.withdraw(person: "anna", key: "forgotten"))
        #expect(post.run(for: .seconds(10)) { _, _ in .taken }.map(\.content) == [.nothing])
    }

    @Test func `an acknowledgement with the token removes the message from every phone, and counts once`() throws {
        var post = Post([Post.anna, Post.annaAtHome])
        post.apply(.send(Post.message()))
        let sent = post.run(for: .seconds(10)) { _, _ in .taken }
        let token = sent[0].token
        #expect(token.count == 32 && Set(sent.map(\.token)).count == 1)
        #expect(post.messages.acknowledge(token: token, at: post.now.instant) == Post.message())
        #expect(post.messages.acknowledge(token: token, at: post.now.instant) == nil)
        #expect(post.run(for: .seconds(10)) { _, _ in .taken }.map(\.content) == [.nothing, .nothing])
        // The part that decided may not know of it after a restart.
        post.apply(.send(Post.message()))
        #expect(post.run(for: .seconds(10)) { _, _ in .taken } == [])
    }

    @Test func `a message is acknowledged when all of its items are`() {
        var post = Post()
        post.apply(.send(Post.message(items: ["keys", "wallet"])))
        _ = post.run(for: .seconds(10)) { _, _ in .taken }
        post.apply(.acknowledged(item: "keys"))
        #expect(post.start() == [])
        post.apply(.acknowledged(item: "wallet"))
        #expect(post.run(for: .seconds(10)) { _, _ in .taken }.map(\.content) == [.nothing])
    }

    @Test(arguments: 1...20)
    func `a server that is down for an hour gets the message once within five minutes of its return`(seed: UInt64) {
        var post = Post()
        post.random = SplitMix64(seed: seed)
        post.apply(.send(Post.message()))
        var taken: [Instant] = []
        let sent = post.run(for: .seconds(3 * 3600)) { _, now in
            guard now.instant >= .zero + .seconds(3600) else { return .refused("HTTP status 503") }
            taken.append(now.instant)
            return .taken
        }
        #expect(taken.count == 1 && taken[0] <= .zero + .seconds(3900))
        // Twelve an hour would be the fewest.
        #expect((12...60).contains(sent.count), "\(sent.count) attempts")
        #expect(post.messages.problems == [])
    }

    @Test func `a message that reaches nobody is a problem, and too old a message is not sent`() {
        var post = Post([Post.anna, Post.annaAtHome])
        post.apply(.send(Post.message()))
        _ = post.run(for: .seconds(60)) { delivery, _ in
            delivery.channel == Post.anna ? .refused("HTTP status 503") : .taken
        }
        #expect(
            post.messages.problems == [
                "Not every channel of anna delivers: ntfy at https://ntfy.example (anna.topic): HTTP status 503."
            ])
        post.apply(.send(Post.message("taken")))
        _ = post.run(for: .seconds(60)) { _, _ in .refused("HTTP status 503") }
        #expect(
            post.messages.problems == [
                "Messages to anna reach nobody: ntfy at https://ntfy.example (anna.topic): HTTP status 503; "
                    + "mobile_app_anna at http://ha.local:8123: HTTP status 503."
            ])
        _ = post.run(for: .seconds(7 * 3600)) { _, _ in .refused("HTTP status 503") }
        #expect(post.run(for: .seconds(24 * 3600)) { _, _ in .taken } == [])
        #expect(post.messages.count == 0)
        post.apply(.send(Post.message("alone", at: "2026-11-25T08:00:00Z")))
        #expect(post.start() == [])
    }

    @Test func `a channel that failed is no problem once nothing is to be sent over it`() {
        var post = Post()
        post.apply(.send(Post.message()))
        _ = post.run(for: .seconds(60)) { _, _ in .refused("HTTP status 503") }
        #expect(post.messages.problems.count == 1)
        post.apply(.acknowledged(item: "keys"))
        _ = post.start()
        #expect(post.messages.problems == [])
    }

    @Test(arguments: [false, true])
    func `a message that is withdrawn is a problem if it reached nobody, until another one arrives, each time`(
        isRemoved: Bool
    ) {
        var post = Post([Post.anna, Post.annaAtHome])
        for _ in 1...2 {
            post.apply(.send(Post.message()))
            _ = post.run(for: .seconds(60)) { _, _ in .refused("HTTP status 503") }
            if isRemoved {
                post.messages.forget(person: "anna", at: post.now.instant)
            }
            post.apply(.withdraw(person: "anna", key: "forgotten"))
            _ = post.start()
            #expect(
                post.messages.problems
                    == (isRemoved ? [] : ["The message \"Forgotten: keys\" to anna reached nobody."]))
            post.apply(.send(Post.message()))
            _ = post.run(for: .seconds(5)) { _, _ in .taken }
            // The repetition fails, but the phone has the message.
            post.apply(.send(Post.message(text: "Still at home.")))
            _ = post.run(for: .seconds(60)) { _, _ in .refused("HTTP status 503") }
            post.apply(.withdraw(person: "anna", key: "forgotten"))
            _ = post.run(for: .seconds(600)) { _, _ in .taken }
            #expect(post.messages.problems == [])
            // Withdrawn before anything was tried.
            post.apply(.send(Post.message()))
            post.apply(.withdraw(person: "anna", key: "forgotten"))
            _ = post.start()
            #expect(post.messages.problems == [])
        }
    }

    @Test func `the pause that a server asks for also holds for repetitions, other messages and withdrawals`() {
        var post = Post([Post.anna, Post.annaAtHome])
        for _ in 1...2 {
            post.apply(.send(Post.message()))
            for delivery in post.start() {
                let isAnna = delivery.channel == Post.anna
                post.finish(delivery, isAnna ? .refused("HTTP status 429", pause: .seconds(600)) : .taken)
            }
            var times: [Double] = []
            let start = post.now.instant
            for minute in 1...9 {
                post.apply(.send(Post.message(at: "2026-11-25T08:0\(minute):00Z")))
                if minute == 5 { post.apply(.send(Post.message("taken"))) }
                _ = post.run(for: .seconds(100)) { delivery, now in
                    if delivery.channel == Post.anna { times.append((now.instant - start).seconds) }
                    return .taken
                }
            }
            #expect(times.first.map { (600..<700).contains($0) } == true, "\(times)")
            for key in ["forgotten", "taken"] { post.apply(.withdraw(person: "anna", key: key)) }
            _ = post.run(for: .seconds(10)) { _, _ in .taken }
        }
    }

    @Test(arguments: [false, true])
    func `a withdrawal follows the longest pause that a server asks for, each time, also if the pause begins later`(
        isOfWithdrawal: Bool
    ) {
        var post = Post([Post.anna])
        for _ in 1...2 {
            for key in ["forgotten", "taken"] { post.apply(.send(Post.message(key))) }
            _ = post.run(for: .seconds(10)) { _, _ in .taken }
            if !isOfWithdrawal {
                post.apply(.send(Post.message("taken", text: "Again.")))
                post.finish(post.start()[0], .refused("HTTP status 429", pause: .seconds(3600)))
            }
            post.apply(.withdraw(person: "anna", key: "forgotten"))
            // The server wants two more pauses.
            var refusals = 2
            let sent = post.run(for: .seconds(4 * 3600)) { delivery, _ in
                guard refusals > 0 else { return .taken }
                refusals -= 1
                return .refused("HTTP status 429", pause: .seconds(3600))
            }
            #expect(sent.last { $0.tag == Post.message().tag }?.content == .nothing)
            #expect(post.messages.stored.map(\.message.key) == ["taken"])
            post.apply(.withdraw(person: "anna", key: "taken"))
            _ = post.run(for: .seconds(10)) { _, _ in .taken }
            #expect(post.messages.count == 0)
        }
    }

    @Test func `a withdrawal that no server takes is tried for a day, each time`() {
        var post = Post([Post.anna])
        for _ in 1...2 {
            post.apply(.send(Post.message()))
            _ = post.run(for: .seconds(10)) { _, _ in .taken }
            post.apply(.withdraw(person: "anna", key: "forgotten"))
            for (seconds, count) in [(23 * 3600.0, 1), (2 * 3600.0, 0)] {
                _ = post.run(for: .seconds(seconds)) { _, _ in .refused("HTTP status 503") }
                #expect(post.messages.count == count)
            }
        }
    }

    @Test func `a pause that a server asks for is not shortened by a shorter one, each time`() {
        var post = Post([Post.anna])
        for _ in 1...2 {
            for key in ["forgotten", "taken"] { post.apply(.send(Post.message(key))) }
            for (delivery, pause) in zip(post.start(), [600.0, 5]) {
                post.finish(delivery, .refused("HTTP status 429", pause: .seconds(pause)))
            }
            var times: [Double] = []
            let start = post.now.instant
            _ = post.run(for: .seconds(700)) { _, now in
                times.append((now.instant - start).seconds)
                return .taken
            }
            #expect(times.count == 2 && times.allSatisfy { $0 >= 600 }, "\(times)")
            for key in ["forgotten", "taken"] { post.apply(.withdraw(person: "anna", key: key)) }
            _ = post.run(for: .seconds(10)) { _, _ in .taken }
        }
    }

    @Test func `a message that arrived is no problem once it is withdrawn, though its repetition fails`() {
        var post = Post([Post.anna])
        for day in 5...6 {
            post.apply(.send(Post.message(at: "2026-11-25T08:0\(day):00Z")))
            for delivery in post.start() { post.finish(delivery, .taken) }
            post.apply(.send(Post.message(at: "2026-11-25T08:0\(day):30Z")))
            post.restart([Post.anna])
            for delivery in post.start() { post.finish(delivery, .refused("HTTP status 503")) }
            post.apply(.withdraw(person: "anna", key: "forgotten"))
            #expect(post.messages.problems == [])
            _ = post.run(for: .seconds(10)) { _, _ in .taken }
        }
    }

    @Test func `a message that nobody can get stays a problem after a restart, and one that arrived is none`() {
        let other = ChannelSettings(person: "ben", kind: .command(["tell"]))
        for isTaken in [false, true] {
            var post = Post([Post.anna, other])
            post.apply(.send(Post.message()))
            for delivery in post.start() { post.finish(delivery, isTaken ? .taken : .ended) }
            post.messages.configure([other], at: post.now.instant)
            for _ in 1...2 {
                let problems = post.messages.problems
                #expect(problems.contains { $0.contains("anna") } == !isTaken, "\(problems)")
                post.restart([other])
            }
        }
    }

    @Test func `a person without a channel is a problem only if there are channels`() {
        var post = Post([ChannelSettings(person: "ben", kind: .command(["tell"]))])
        post.apply(.send(Post.message()))
        #expect(
            post.messages.problems == [
                "Messages to anna reach nobody: subscribe a browser on the page, or add a [[channel]] with person = \"anna\"."
            ])
        var none = Post([])
        none.apply(.send(Post.message()))
        #expect(none.messages.count == 0 && none.messages.problems == [] && !none.messages.hasChanged)
    }

    @Test func `a channel that refuses one message holds up no other`() {
        var post = Post()
        post.apply(.send(Post.message("first")))
        post.apply(.send(Post.message("second")))
        let taken = post.run(for: .seconds(60)) { delivery, _ in
            delivery.tag == Post.message("first").tag ? .refused("HTTP status 400") : .taken
        }.filter { $0.tag == Post.message("second").tag }
        #expect(taken.count == 1)
    }

    @Test func `after a restart a message that was taken is not sent again, and one that was not is sent once`() {
        var post = Post([Post.anna, Post.annaAtHome])
        post.apply(.send(Post.message()))
        for delivery in post.start() where delivery.channel == Post.anna { post.finish(delivery) }
        for _ in 0..<2 {
            post.restart()
            let sent = post.start()
            #expect(sent.map(\.channel) == [Post.annaAtHome] && sent[0].text == Post.message().text)
        }
        post.restart()
        for delivery in post.start() { post.finish(delivery) }
        post.restart()
        post.apply(.send(Post.message()))
        #expect(post.start() == [])
        post.apply(.withdraw(person: "anna", key: "forgotten"))
        #expect(post.start().map(\.content) == [.nothing, .nothing])
    }

    @Test func `a message on the disk is read back as it was`() throws {
        var post = Post([Post.anna, Post.annaAtHome])
        post.apply(.send(Post.message(items: ["keys", "wallet"])))
        post.finish(post.start()[1])
        post.apply(.send(Post.message("taken")))
        _ = post.messages.acknowledge(token: post.messages.stored[1].token, at: post.now.instant)
        for stored in post.messages.stored {
            var json = JSONWriter()
            stored.write(to: &json)
            var fields = Fields(try #require(try JSONValue(parsing: json.bytes).object))
            #expect(try StoredMessage(reading: &fields) == stored)
        }
    }

    @Test(arguments: [-86_400.0, 31_536_000.0])
    func `a jump of the wall clock changes nothing`(seconds: Double) {
        var post = Post()
        post.apply(.send(Post.message()))
        _ = post.run(for: .seconds(60)) { _, _ in .refused("HTTP status 503") }
        post.now.wall = post.now.wall + .seconds(seconds)
        #expect(post.run(for: .seconds(1200)) { _, _ in .taken }.count == 1)
        post.apply(.withdraw(person: "anna", key: "forgotten"))
        #expect(post.run(for: .seconds(60)) { _, _ in .taken }.map(\.content) == [.nothing])
    }

    @Test func `what is stored is limited, and so is what is sent at once`() {
        var post = Post()
        for index in 0..<200 { post.apply(.send(Post.message("\(index)", text: String(repeating: "ä", count: 9000)))) }
        #expect(post.messages.count == PersonalMessages.most)
        let sent = post.start()
        #expect(sent.count == PersonalMessages.mostAtOnce)
        #expect(sent.allSatisfy { $0.text.utf8.count <= PersonalMessages.longestText && $0.text.hasSuffix("ä…") })
        #expect(!post.messages.problems.isEmpty)
        for delivery in sent { post.finish(delivery) }
        _ = post.run(for: .seconds(86_400)) { _, _ in .taken }
        _ = post.run(for: .seconds(86_400)) { _, _ in .taken }
        #expect(post.messages.count == 0)
    }

    @Test func `a test sends one message over each channel, once, and has the outcomes`() {
        var post = Post([Post.anna, Post.annaAtHome])
        let hasNoChannel = post.messages.test("nobody", id: 1, at: post.now)
        #expect(!hasNoChannel)
        let isBegun = post.messages.test("anna", id: 7, at: post.now)
        #expect(isBegun)
        let sent = post.start()
        #expect(sent.count == 2 && post.start() == [] && post.messages.stored == [])
        post.finish(sent[0])
        #expect(post.messages.finishedTests(at: post.now.instant).isEmpty)
        post.finish(sent[1], .refused("HTTP status 401: check the token"))
        let tests = post.messages.finishedTests(at: post.now.instant)
        #expect(tests.count == 1 && tests[0].id == 7)
        #expect(tests[0].results.map(\.1) == [.taken, .refused("HTTP status 401: check the token")])
        let isBegunAgain = post.messages.test("anna", id: 8, at: post.now)
        #expect(isBegunAgain)
        _ = post.start()
        post.wait(.seconds(4))
        #expect(post.messages.finishedTests(at: post.now.instant).first?.results.map(\.1) == [nil, nil])
        #expect(post.messages.isIdle)
    }
}

extension Delivery {
    fileprivate var token: String { if case .message(_, let token) = content { token } else { "" } }
    fileprivate var text: String { if case .message(let message, _) = content { message.text } else { "" } }
}
