import Beacons
import HomeAssistant
import Messages
import Testing
import Text

struct LanguageTests {
    private static let german = Texts([
        "Room": "Raum", "Connectivity": "Verbindung", "Distance to {gateway}": "Entfernung zu {gateway}",
    ])
    private let now = Instant.zero + .seconds(1000)

    @Test(arguments: Site.devices.indices)
    func `another language changes the names of entities and nothing else`(index: Int) throws {
        let device = Site.devices[index]
        let (english, german) = (try Payload(device), try Payload(device, in: Self.german))
        #expect(english.device == german.device)
        #expect(english.components.map(\.key) == german.components.map(\.key))
        for (one, other) in zip(english.components, german.components) {
            var fields = other.fields
            fields.set("name", to: one.fields["name"])
            #expect(fields == one.fields, "\(one.key)")
        }
    }

    @Test func `a name is translated, and its entity id stays English`() throws {
        let item = try Payload(Site.devices[3], in: Self.german)
        #expect(item.component("room")?.text("name") == "Raum")
        #expect(item.component("room")?.text("default_entity_id") == "sensor.laptop_bag_room")
        let distance = item.component("distance:kitchen")
        #expect(distance?.text("name") == "Entfernung zu kitchen")
        #expect(distance?.text("object_id") == "laptop_bag_distance_to_kitchen")
    }

    @Test func `what an earlier run announced in another language is its own, and is announced again`() {
        for (before, after) in [(Texts.english, Self.german), (Self.german, Texts.english)] {
            var texts = after
            texts.others = [before]
            let gateway = Site.devices[1]
            var announcer = Announcer(
                .aggregator, version: "1", under: TopicPrefix("homeassistant")!, in: texts)
            announcer.take(
                gateway.payload(by: .aggregator, version: "1", in: before), of: gateway.id, isRequested: true, at: now)
            #expect(announcer.problems(at: now) == [])
            let messages = announcer.announce(gateway.id, as: gateway, at: now).messages
            #expect(messages.map(\.payload) == [gateway.payload(by: .aggregator, version: "1", in: after)])
        }
    }

    @Test func `a name that no language has is foreign`() {
        var texts = Self.german
        texts.others = [.english]
        var announcer = Announcer(.aggregator, version: "1", under: TopicPrefix("homeassistant")!, in: texts)
        let lie = Texts(["Connectivity": "Front door"])
        let gateway = Site.devices[1]
        announcer.take(gateway.payload(by: .aggregator, version: "1", in: lie), of: gateway.id, at: now)
        #expect(announcer.problems(at: now).count == 1)
    }
}
