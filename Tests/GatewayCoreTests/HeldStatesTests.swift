import Beacons
import Delivery
import EventLogs
import Messages
import Testing

@Suite("States wait for their events")
struct HeldStatesTests {
    private let bags = Topic.regionState(region: "bags", gateway: "kitchen")
    private let bag = Topic.proximity(TestGateway.bag, gateway: "kitchen")
    private var held = HeldStates()
    /// With one event that has not been handed over.
    private var log = EventLog(boot: "17.kfqx")

    init() { log.append(topic: "events", payload: [1]) }

    private func state(_ text: String, of topic: Topic) -> Message { Message(topic, bytes: Array(text.utf8)) }

    @Test mutating func `a region's state waits until the event before it was handed over`() {
        #expect(held.pass(state("inside", of: bags), behind: log) == nil)
        #expect(held.release(behind: log).isEmpty)
        _ = log.dequeue()
        #expect(held.release(behind: log).map(\.topic) == [bags])
        #expect(held.release(behind: log).isEmpty)
        #expect(held.pass(state("inside", of: bags), behind: log) != nil)
    }

    @Test mutating func `of two states of one region the newer one goes, and behind its own event`() {
        #expect(held.pass(state("inside", of: bags), behind: log) == nil)
        log.append(topic: "events", payload: [2])
        #expect(held.pass(state("outside", of: bags), behind: log) == nil)
        _ = log.dequeue()
        #expect(held.release(behind: log).isEmpty)
        _ = log.dequeue()
        #expect(held.release(behind: log).map(\.payload) == [Array("outside".utf8)])
    }

    @Test mutating func `a ranged state waits only where it is taken back, and one that follows ends that`() {
        #expect(held.pass(state("near", of: bag), behind: log) != nil)
        #expect(held.pass(.clearing(bag), behind: log) == nil)
        #expect(held.pass(state("near", of: bag), behind: log) != nil)
        _ = log.dequeue()
        #expect(held.release(behind: log).isEmpty)
    }

    @Test mutating func `a state without an event waits for nothing, and a farewell releases all waiting states`() {
        let online = Topic.gatewayAvailability(gateway: "kitchen")
        #expect(held.pass(state("online", of: online), behind: log) != nil)
        #expect(held.pass(state("inside", of: bags), behind: log) == nil)
        #expect(held.removeAll().map(\.topic) == [bags])
        #expect(held.removeAll().isEmpty)
    }

    private func tag(_ number: Int) -> Topic {
        var beacon = TestGateway.bag
        (beacon.major, beacon.minor) = (UInt16(number >> 16), UInt16(truncatingIfNeeded: number))
        return .proximity(beacon, gateway: "kitchen")
    }

    @Test mutating func `states of a long outage of the broker are limited, and the oldest cleared ones are dropped`() {
        let most = HeldStates.mostCleared
        for round in 1...2 {
            #expect(held.pass(state("inside", of: bags), behind: log) == nil)
            for number in 0..<(3 * most) { #expect(held.pass(.clearing(tag(number)), behind: log) == nil) }
            #expect(held.count <= most + 1)
            // Each topic waits once, however often it changes.
            for _ in 0..<(3 * most) { #expect(held.pass(state("outside", of: bags), behind: log) == nil) }
            #expect(held.count <= most + 1)
            _ = log.dequeue()
            let released = held.release(behind: log)
            #expect(held.count == 0 && released.count > most * 3 / 4)
            #expect(released.count { $0.topic == bags } == 1 && released.last?.topic == bags)
            let last = (3 * most + 1 - released.count)..<(3 * most)
            #expect(released.dropLast().map(\.topic) == last.map(tag), "round \(round)")
            log.append(topic: "events", payload: [1])
        }
    }
}
