import Beacons
import Glibc
import Linux
import Simulation
import SimulationTestSupport
import TestBroker
import Testing

/// The real locator over a recording, as a program.
struct ReplayTests {
    @Test func `replay writes where each beacon was at each second, sorted, the same each time, and to the file alone`()
        throws
    {
        let folder = try TestFolder()
        let house = House(seed: 1)
        let recording = HouseRecording(of: house, lasting: .seconds(30))
        let sightings = try folder.write(recording.sightingsCSV, to: "sightings.csv")
        let site = try folder.write(house.site, to: "site.toml")
        var outputs: [[UInt8]] = []
        for name in ["first.csv", "second.csv"] {
            let end = try Program.aggregator.run(
                "replay", "--sightings", sightings, "--site", site, "--output", folder.path(name))
            #expect(end.status == 0 && end.output.isEmpty && end.errors.isEmpty, "\(end)")
            outputs.append(try readFile(at: folder.path(name)))
        }
        #expect(outputs[0] == outputs[1])

        let text = String(decoding: outputs[0], as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines.first == "t_ms,beacon,presence,room,confidence" && lines.last == "" && !text.contains("\r"))
        let rows = lines.dropFirst().dropLast().map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        let times = recording.sightings.map(\.milliseconds)
        let first = (try #require(times.first) + 999) / 1000
        let last = try #require(times.last) / 1000
        let beacons = Set(recording.sightings.map(\.beacon)).sorted()
        let expected = (first...last).flatMap { second in beacons.map { "\(second * 1000),\($0)" } }
        #expect(rows.map { "\($0[0]),\($0[1])" } == expected)
        let rooms = Set(house.plan.rooms.map(\.name))
        for row in rows {
            let isHome = row[2] == "home"
            #expect(row.count == 5 && isHome == rooms.contains(String(row[3])) && (isHome || row[3].isEmpty), "\(row)")
        }
        #expect(rows.contains { $0[2] == "home" })
    }

    @Test func `a recording that is not there is one line and 66`() throws {
        let folder = try TestFolder()
        let site = try folder.write("", to: "site.toml")
        let end = try Program.aggregator.run(
            "replay", "--sightings", folder.path("absent.csv"), "--site", site, "--output", folder.path("out.csv"))
        #expect(end.status == 66 && end.output.isEmpty && end.errorLines.count == 1, "\(end)")
    }

    @Test func `replay writes into a device as it is, and over nothing that it reads`() throws {
        let folder = try TestFolder()
        let sightings = try folder.write("t_ms,gateway,beacon,rssi\n0,kitchen,bag,-60\n", to: "sightings.csv")
        let site = try folder.write("", to: "site.toml")
        let device = folder.path("device")
        #expect(symlink("/dev/null", device) == 0)
        let end = try Program.aggregator.run(
            "replay", "--sightings", sightings, "--site", site, "--output", device)
        #expect(end.status == 0 && end.output.isEmpty && end.errors.isEmpty, "\(end)")
        var status = stat()
        #expect(lstat(device, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        for path in [sightings, site] {
            let before = try readFile(at: path)
            let end = try Program.aggregator.run(
                "replay", "--sightings", sightings, "--site", site, "--output", path)
            #expect(end.status == 64 && end.output.isEmpty && end.errorLines.count == 1, "\(end)")
            #expect(try readFile(at: path) == before)
        }
    }
}
