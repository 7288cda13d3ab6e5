import Beacons
import Simulation
import Testing

struct HouseTimeTests {
    @Test func `a wall clock's time is the house's, also before 1970`() {
        #expect(HouseTime(WallTime(milliseconds: 1_795_239_612_345)).nanoseconds == 1_795_239_612_345_000_000)
        #expect(HouseTime(WallTime(milliseconds: -1)).wall == WallTime(milliseconds: -1))
        #expect(HouseTime(nanoseconds: -1).wall == WallTime(milliseconds: -1))
    }

    @Test func `beyond 1700 and 2200 it is these`() {
        #expect(HouseTime(WallTime(milliseconds: .min)).wall.description == "1700-01-01T00:00:00.000Z")
        #expect(HouseTime(WallTime(milliseconds: .max)).wall.description == "2200-01-01T00:00:00.000Z")
    }

    @Test func `a wall clock that shows nonsense gives some time, and a house that lives`() {
        for milliseconds in [Int64.min, .max] {
            let time = HouseTime(WallTime(milliseconds: milliseconds))
            var receiver = SimulatedReceiver(house: House(seed: 1), gateway: "kitchen", from: time)
            var packets = 0
            receiver.advance(to: time + .seconds(1)) { _, _ in packets += 1 }
            #expect(packets > 0)
        }
    }
}
