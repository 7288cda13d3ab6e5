import Delivery
import Messages
import Testing

@Suite("Outbox")
struct OutboxTests {
    private func state(_ topic: String, _ payload: String) -> OutgoingMessage {
        OutgoingMessage(topic: topic, payload: Array(payload.utf8), qos: .atLeastOnce, retain: true)
    }

    /// What goes out when so many are accepted.
    private func sent(_ outbox: inout Outbox, most: Int = .max) -> [String] {
        var sent: [String] = []
        while sent.count < most, let message = outbox.first {
            sent.append("\(message.topic) \(String(decoding: message.payload, as: UTF8.self))")
            outbox.removeFirst()
        }
        return sent
    }

    @Test func `publications go out in order, as many as the connection takes at a time, and none is lost`() {
        var outbox = Outbox()
        for number in 0..<5000 { outbox.add(state("t/\(number)", "x")) }
        var all: [String] = []
        while outbox.count > 0 { all += sent(&outbox, most: 700) }
        #expect(all == (0..<5000).map { "t/\($0) x" })
    }

    @Test func `of a retained topic only the newest state waits, in the place of the older one`() {
        var outbox = Outbox()
        outbox.add(state("a", "1"))
        outbox.add(state("b", "1"))
        outbox.add(state("a", "2"))
        #expect(outbox.count == 2)
        #expect(sent(&outbox) == ["a 2", "b 1"])
        outbox.add(state("a", "3"))
        #expect(sent(&outbox) == ["a 3"])
    }

    @Test func `a step that readers need is not replaced by the next one on its topic`() {
        var outbox = Outbox()
        outbox.add(state("device", "leaving"), isStep: true)
        outbox.add(state("device", ""), isStep: true)
        #expect(sent(&outbox) == ["device leaving", "device "])
    }

    @Test func `a state that is cleared at once is published before its topic is cleared`() {
        var outbox = Outbox()
        outbox.add(state("a", "near"))
        outbox.add(state("a", "unknown"))
        outbox.add(state("a", ""))
        #expect(sent(&outbox) == ["a unknown", "a "])
        outbox.add(state("a", ""))
        outbox.add(state("a", "near"))
        #expect(sent(&outbox) == ["a near"])
    }

    @Test func `an outbox that is never empty keeps its order, and replaces the states that still wait`() {
        var outbox = Outbox()
        var all: [String] = []
        for number in 0..<20_000 {
            outbox.add(state("t/\(number)", "1"))
            outbox.add(state("t/\(number)", "2"))
            if outbox.count > 50 { all += sent(&outbox, most: 1) }
        }
        #expect(outbox.count == 50)
        all += sent(&outbox)
        #expect(all == (0..<20_000).map { "t/\($0) 2" })
    }

    @Test func `a state that goes last waits behind everything that was added before`() {
        var outbox = Outbox()
        outbox.add(state("manifest", "1"), goesLast: true)
        outbox.add(state("entry", "1"))
        outbox.add(state("manifest", "2"), goesLast: true)
        #expect(outbox.count == 2)
        #expect(sent(&outbox, most: 1) == ["entry 1"])
        #expect(sent(&outbox) == ["manifest 2"])
        #expect(outbox.count == 0)
    }

    @Test func `messages that are not retained are all sent, up to the limit, and the others are counted`() {
        var outbox = Outbox()
        for number in 0..<Outbox.mostMessages + 3 {
            outbox.add(OutgoingMessage(topic: "answer", payload: [UInt8(number & 0xFF)], qos: .atLeastOnce))
        }
        #expect(outbox.count == Outbox.mostMessages)
        #expect(outbox.drainDropped() == 3 && outbox.drainDropped() == 0)
        #expect(sent(&outbox).count == Outbox.mostMessages)
        outbox.add(OutgoingMessage(topic: "answer", payload: [], qos: .atLeastOnce))
        #expect(outbox.count == 1)
    }
}
