import Beacons
import HomeAssistant
import Messages
import Testing

struct RoomMessageTests {
    private func location(_ presence: Presence, room: String?, accuracy: Double?) -> ItemLocation {
        ItemLocation(
            item: "bag", name: "Bag", presence: presence, room: room, accuracy: accuracy,
            stamp: Stamp(
                at: WallTime("2026-11-21T05:40:00Z")!, boot: Boot("1.abcd")!, uptime: .zero, isClockSynchronised: true))
    }

    @Test func `the room is the last level of the topic`() throws {
        let message = try #require(RoomMessage(location(.home, room: "Kitchen", accuracy: 1.84)))
            .message(under: "espresense/rooms")
        #expect(message.topic == "espresense/rooms/Kitchen")
        #expect(
            String(decoding: message.payload, as: UTF8.self) == "{\"id\":\"bag\",\"name\":\"Bag\",\"distance\":1.84}")
        #expect(!message.isRetained)
    }

    @Test func `a room name that is invalid in a topic is replaced by a valid one`() throws {
        let message = try #require(RoomMessage(location(.home, room: "Attic/left #1+", accuracy: 1)))
        #expect(message.message(under: "rooms").topic == "rooms/Attic-left -1-")
    }

    @Test func `an item that is not home or without a distance has no room message`() {
        #expect(RoomMessage(location(.away, room: "Kitchen", accuracy: 1)) == nil)
        #expect(RoomMessage(location(.unknown, room: "Kitchen", accuracy: 1)) == nil)
        #expect(RoomMessage(location(.home, room: "Kitchen", accuracy: nil)) == nil)
        #expect(RoomMessage(location(.home, room: nil, accuracy: 1)) == nil)
    }
}
