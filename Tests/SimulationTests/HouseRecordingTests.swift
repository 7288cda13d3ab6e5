import Beacons
import Simulation
import SimulationTestSupport
import Testing

struct HouseRecordingTests {
    private let house = House.generated(rooms: 3, gateways: 3, tags: 4, seed: 2)
    /// The end of somebody's period is in it, and absences.
    private let start = HouseTime(WallTime(milliseconds: 1_795_239_600_000))

    @Test func `a house's recording has what its gateways receive, in order of time`() {
        let recording = HouseRecording(of: house, from: start, lasting: .seconds(120))
        #expect(
            zip(recording.sightings, recording.sightings.dropFirst()).allSatisfy { $0.milliseconds <= $1.milliseconds })
        #expect(Set(recording.sightings.map(\.gateway)) == ["kitchen", "hall", "living-room"])
        var receiver = HouseReceiver(house: house, gateway: house.gateways[1], from: start)
        var received: [Int8] = []
        while let reception = receiver.next(before: start + .seconds(120)) {
            if case .tag = reception.source { received.append(reception.rssi.dBm) }
        }
        #expect(recording.sightings.filter { $0.gateway == "hall" }.map(\.rssi.dBm) == received)
    }

    @Test func `its truth has a row per second and tag`() {
        let recording = HouseRecording(of: house, from: start, lasting: .seconds(600))
        #expect(recording.truth.count == 601 * 4)
        #expect(recording.truth[4].milliseconds == 1000 && recording.truth[4].beacon == "laptop-bag")
        for row in recording.truth where row.beacon == "keys" && row.milliseconds % 20_000 == 0 {
            #expect(row.room == house.room(ofTag: 1, at: start + .milliseconds(row.milliseconds)))
        }
        #expect(Set(recording.truth.map(\.room)).contains(nil))
    }

    @Test func `its rows are those of recordings of real sites`() {
        let recording = HouseRecording(of: house, from: start, lasting: .seconds(2))
        let sightings = recording.sightingsCSV.split(separator: "\n")
        let first = recording.sightings[0]
        #expect(sightings[0] == "t_ms,gateway,beacon,rssi")
        #expect(sightings[1] == "\(first.milliseconds),\(first.gateway),\(first.beacon),\(first.rssi.dBm)")
        #expect(sightings.count == recording.sightings.count + 1)
        let truth = recording.truthCSV.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(truth[0] == "t_ms,beacon,zone,x,y,z")
        #expect(truth[1].hasPrefix("0,laptop-bag,"))
        #expect(truth.count == 14 && truth[13].isEmpty)
    }

    @Test func `a tag that is away has an empty zone`() {
        let recording = HouseRecording(of: house, from: start, lasting: .seconds(600))
        #expect(recording.truthCSV.contains(",keys,,"))
    }

    @Test func `its site is written as the aggregator reads it`() {
        let site = house.site
        #expect(site.hasPrefix("[[room]]\nname = \"Kitchen\"\nfloor = 0\npolygon_m = [["))
        #expect(site.split(separator: "\n").count { $0 == "[[room]]" } == 3)
        #expect(site.contains("between = [\"Hall\", \"Kitchen\"]"))
        #expect(site.contains("id = \"living-room\"\nroom = \"Living room\"\nposition_m = ["))
        #expect(
            site.contains("name = \"Keys\"\nuuid = \"666f7267-6574-4d65-8e6f-740000000001\"\nmajor = 1\nminor = 2\n"))
    }
}
