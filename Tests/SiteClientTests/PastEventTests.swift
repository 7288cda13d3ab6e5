import Beacons
import Messages
import Testing

@testable import SiteClient

/// The events of `forgetmenot history`, from the stays of the history.
struct PastEventTests {
    private func time(_ minutes: Double) -> WallTime { Example.start + .seconds(60 * minutes) }

    private func stay(_ presence: Presence, _ room: String? = nil, _ from: Double, _ to: Double?) -> StaysResponse.Stay
    {
        StaysResponse.Stay(presence, room: room, from: time(from), to: to.map(time))
    }

    private func events(_ stays: [StaysResponse.Stay], since: Double? = nil) -> [String] {
        words(PastEvent.events(of: stays, since: since.map(time)))
    }

    private func words(_ events: [PastEvent]) -> [String] {
        events.map { event in
            let minute = Int((event.at - Example.start).seconds / 60)
            switch event.change {
            case .moved(let from, let to): return "\(minute) moved \(from) \(to)"
            case .left(let from): return "\(minute) left \(from ?? "-")"
            case .returned(let to): return "\(minute) returned \(to ?? "-")"
            case .forgotten, .taken, .alone, .low: return "\(minute) \(event.change.word)"
            }
        }
    }

    @Test func `each step from a stay to the next is an event, the first stay is none`() {
        let stays = [
            stay(.home, "Kitchen", 0, 1), stay(.home, "Hall", 1, 2), stay(.away, nil, 2, 5),
            stay(.home, "Hall", 5, nil),
        ]
        #expect(events(stays) == ["1 moved Kitchen Hall", "2 left Hall", "5 returned Hall"])
        #expect(events(stays, since: 2) == ["2 left Hall", "5 returned Hall"])
        #expect(events([]) == [])
    }

    @Test func `presence that was unknown for a while is no event`() {
        let kitchen = stay(.home, "Kitchen", 0, 1)
        let unknown = stay(.unknown, nil, 1, 3)
        #expect(events([kitchen, unknown, stay(.home, "Kitchen", 3, nil)]) == [])
        #expect(events([kitchen, unknown, stay(.home, "Hall", 3, nil)]) == ["3 moved Kitchen Hall"])
        #expect(events([kitchen, unknown, stay(.away, nil, 3, nil)]) == ["3 left Kitchen"])
        #expect(events([stay(.away, nil, 0, 1), unknown, stay(.home, nil, 3, nil)]) == ["3 returned -"])
    }

    @Test func `a room that is found later is no event of its own`() {
        let stays = [
            stay(.away, nil, 0, 1), stay(.home, nil, 1, 2), stay(.home, "Kitchen", 2, 3), stay(.home, nil, 3, 4),
            stay(.home, "Hall", 4, nil),
        ]
        #expect(events(stays) == ["1 returned -", "4 moved Kitchen Hall"])
    }

    @Test func `stays make events only of the time before the first event in the event log`() throws {
        let boot = try #require(Boot("1.abcd"))
        let stays = [
            stay(.home, "Kitchen", 0, 1), stay(.away, nil, 1, 5), stay(.home, "Kitchen", 5, 6),
            stay(.home, "Hall", 6, 7), stay(.home, "Kitchen", 7, 20), stay(.away, nil, 20, nil),
        ]
        for (first, expected) in [(6.0, ["1 left Kitchen", "5 returned Kitchen"]), (5, ["1 left Kitchen"]), (1, [])] {
            // The event log has the events in the order in which they became certain.
            let events = [20, first].enumerated().map { seq, minutes in
                ItemEvent(
                    .left(from: "Kitchen"), seq: UInt64(seq + 1), item: "keys", name: "Keys",
                    stamp: Stamp(at: time(minutes), boot: boot, uptime: .zero), cause: nil)
            }
            #expect(words(PastEvent.events(of: stays, before: events)) == expected)
        }
    }

    @Test func `an absence has its probable cause, an empty battery, if there is one`() throws {
        let stamp = Stamp(at: time(1), boot: try #require(Boot("1.abcd")), uptime: .zero)
        for (cause, words) in [(ProbableCause.battery, "left (probably an empty battery)"), (nil, "left")] {
            var event = ItemEvent(
                .left(from: "Kitchen"), seq: 1, item: "keys", name: "Keys", stamp: stamp, cause: nil)
            event.probableCause = cause
            #expect(PastEvent(event).words == words)
        }
    }

    @Test func `an item that was removed and added again begins anew`() {
        #expect(events([stay(.home, "Kitchen", 0, 1), stay(.away, nil, 8, nil)]) == [])
    }
}
