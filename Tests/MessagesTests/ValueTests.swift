import Beacons
import Messages
import Testing

@Suite struct ValueTests {
    @Test func `a run id is a number and four letters`() {
        var generator = SplitMix64(seed: 5)
        for epoch in [0, 17, UInt32.max] {
            let boot = Boot(epoch: epoch, using: &generator)
            #expect(Boot(boot.description) == boot)
            #expect(boot.description.hasPrefix("\(epoch)."))
            #expect(boot.description.utf8.count == "\(epoch).".utf8.count + 4)
        }
        #expect(Boot(epoch: 1, using: &generator) != Boot(epoch: 1, using: &generator))
        #expect(kitchenBoot.epoch == 17)
        #expect(kitchenBoot.description == "17.kfqx")
    }

    @Test(arguments: [
        "", ".", "17", "17.", ".kfqx", "17.kfq", "17.kfqxx", "17.KFQX", "17.kf1x", "017.kfqx", "-1.kfqx", "+1.kfqx",
        "4294967296.kfqx", "99999999999999999999.kfqx", "17.kfqx ", " 17.kfqx", "17..kfqx", "17.kfqé", "17.kfq\u{301}",
    ])
    func `a text that is no run id is refused`(text: String) {
        #expect(Boot(text) == nil)
    }

    @Test func `an event's id consists of the run id and the number`() {
        let id = EventID(boot: kitchenBoot, seq: 813)
        #expect(id.description == "17.kfqx-813")
        #expect(EventID("17.kfqx-813") == id)
        #expect(EventID("17.kfqx-9007199254740992")?.seq == 1 << 53)
    }

    @Test(arguments: [
        "", "-", "17.kfqx", "17.kfqx-", "17.kfqx-0", "17.kfqx-01", "17.kfqx--1", "-813", "17.kfqx-9007199254740993",
        "17.kfqx-1-2", "17-813",
    ])
    func `a text that is no event id is refused`(text: String) {
        #expect(EventID(text) == nil)
    }

    @Test(arguments: [("00:00", 0), ("07:00", 420), ("22:05", 1325), ("23:59", 1439)])
    func `a time of day is read as minutes since midnight`(text: String, minute: Int) {
        #expect(TimeOfDay(text)?.minute == minute)
        #expect(TimeOfDay(minute: minute)?.description == text)
    }

    @Test(arguments: ["", "7:00", "24:00", "23:60", "07:0", "07:000", "07-00", "-7:00", "07:00:00", "０7:00", "ab:cd"])
    func `a text that is no time of day is refused`(text: String) {
        #expect(TimeOfDay(text) == nil)
    }

    @Test func `a day has 1440 minutes`() {
        #expect(TimeOfDay(minute: -1) == nil)
        #expect(TimeOfDay(minute: 1440) == nil)
    }

    @Test func `the events of two logs are merged in order of time, up to where one of them may have an earlier one`() {
        func event(_ boot: String, _ seq: UInt64, at second: Double) -> ItemEvent {
            ItemEvent(
                .left(from: "Hall"), seq: seq, item: "bag", name: "Bag",
                stamp: Stamp(
                    at: WallTime("2026-11-21T05:40:00Z")! + .seconds(second), boot: Boot(boot)!, uptime: .zero))
        }
        let left = [event("2.left", 7, at: 10), event("2.left", 8, at: 40), event("2.left", 9, at: 50)]
        let right = [event("3.righ", 1, at: 20), event("3.righ", 2, at: 30)]
        var cursor = LogCursor([EventID("2.left-6")!])
        let first = HistoryResponse.merge([.init(events: left), .init(events: right, more: true)], behind: &cursor)
        #expect(first.map(\.id) == [left[0], right[0], right[1]].map(\.id))
        #expect(Set(cursor.events) == [left[0].id, right[1].id])
        let second = HistoryResponse.merge(
            [.init(events: Array(left[1...])), .init(events: [event("3.righ", 3, at: 45)])], behind: &cursor)
        #expect(second.map(\.stamp.boot.description) == ["2.left", "3.righ", "2.left"])
        #expect(Set(cursor.events) == [left[2].id, EventID("3.righ-3")!])
    }
}
