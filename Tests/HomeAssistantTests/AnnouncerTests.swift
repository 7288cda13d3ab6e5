import HomeAssistant
import Messages
import Testing

struct AnnouncerTests {
    private let prefix = TopicPrefix("homeassistant")!
    private let item = Device(item: Site.bag, heardBy: [], under: .standard)

    private func announcer() -> Announcer { Announcer(.aggregator, version: "1", under: prefix) }

    @Test func `a device is told once, and again when it is another`() {
        var announcer = announcer()
        #expect(announcer.announce([item]).count == 1)
        #expect(announcer.announce([item]) == [])
        let heard = Device(item: Site.bag, heardBy: [Site.kitchen], under: .standard)
        #expect(announcer.announce([heard]).count == 1)
    }

    @Test func `a component that goes is named once, and then left out`() throws {
        var announcer = announcer()
        _ = announcer.announce([Device(item: Site.bag, heardBy: [Site.kitchen], under: .standard)])
        let messages = announcer.announce([item]).map { String(decoding: $0.payload, as: UTF8.self) }
        try #require(messages.count == 2)
        #expect(messages[0].contains("\"distance:kitchen\":{\"p\":\"sensor\"}"))
        #expect(!messages[1].contains("distance:kitchen"))
        #expect(announcer.announce([item]) == [])
    }

    @Test func `a device that goes is cleared once`() {
        var announcer = announcer()
        _ = announcer.announce([item])
        let messages = announcer.announce([])
        #expect(messages.map(\.payload) == [[]])
        #expect(messages[0].isRetained)
        #expect(announcer.announce([]) == [], "for a device that it does not know, Home Assistant warns")
    }

    @Test func `entities that are switched off are switched on for a moment before their device goes`() throws {
        var announcer = announcer()
        _ = announcer.announce([Device(item: Site.bag, heardBy: [Site.kitchen], under: .standard)])
        let messages = announcer.announce([])
        try #require(messages.count == 2)
        let text = String(decoding: messages[0].payload, as: UTF8.self)
        #expect(text.contains(":distance:kitchen:leaving") && !text.contains("enabled_by_default"))
        #expect(messages[1].payload == [])
    }

    @Test func `what the broker holds from earlier, and nobody wants, is cleared`() {
        var announcer = announcer()
        announcer.take(item.payload(by: .aggregator, version: "1"), of: item.id)
        #expect(announcer.announce([]).map(\.payload) == [[]])
        #expect(announcer.announce([]) == [])
    }

    @Test func `what others wrote is left alone`() {
        var announcer = announcer()
        announcer.take(Array("{\"o\":{\"name\":\"zigbee2mqtt\"}}".utf8), of: item.id)
        announcer.take(Array("no JSON".utf8), of: .item("other"))
        #expect(announcer.announce([]) == [])
    }

    @Test func `a gateway that speaks for itself is not spoken for, until it stops to`() {
        var announcer = announcer()
        let gateway = Device(gateway: Site.kitchen, hasParent: true, under: .standard)
        announcer.take(gateway.payload(by: .gateway, version: "1"), of: gateway.id)
        #expect(announcer.announce([gateway]) == [])
        #expect(announcer.announce([]) == [], "nor is it taken away")
        announcer.take([], of: gateway.id)
        #expect(announcer.announce([gateway]).count == 1)
    }

    @Test func `all is told anew after a new beginning`() {
        var announcer = announcer()
        _ = announcer.announce([item])
        announcer.begin()
        #expect(announcer.announce([item]).count == 1)
    }

    @Test func `what somebody else clears is told again`() {
        var announcer = announcer()
        let told = announcer.announce([item])
        announcer.take(told[0].payload, of: item.id)
        #expect(announcer.announce([item]) == [], "its own echo says nothing new")
        announcer.take([], of: item.id)
        #expect(announcer.announce([item]).count == 1)
    }
}
