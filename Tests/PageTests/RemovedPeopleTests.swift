import Beacons
import Testing

@testable import Page

struct RemovedPeopleTests {
    private func instant(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

    @Test func `a person whose topic stays cleared is removed once, and one who is published again is not, each time`()
    {
        var people = RemovedPeople()
        for start in [0.0, 1000] {
            for id in ["anna", "ben"] { people.note(id, isCleared: true, at: instant(start)) }
            people.note("ben", isCleared: false, at: instant(start + 10))
            #expect(people.take(at: instant(start + 80)) == [])
            #expect(people.take(at: instant(start + 91)) == ["anna"])
            #expect(people.take(at: instant(start + 200)) == [])
        }
    }

    @Test func `after a connect, the broker has the time to deliver a person again`() {
        var people = RemovedPeople()
        people.note("anna", isCleared: true, at: instant(0))
        for start in [80.0, 160] { people.connected(at: instant(start)) }
        #expect(people.take(at: instant(240)) == [])
        #expect(people.take(at: instant(251)) == ["anna"])
    }
}
