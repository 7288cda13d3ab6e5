import Beacons
import Glibc
import Linux
import Messages
import TestBroker
import Testing

/// What a recording holds, without a broker.
struct ScanTests {
    @Test func `scan names each beacon of a recording, with the number of its sightings, in one array`() throws {
        let folder = try TestFolder()
        let recording = try Recording(in: folder, lasting: .seconds(30))
        let scanned = try scan(recording.path, in: folder)
        #expect(scanned == recording.beacons)
    }

    /// `Tests/HCITests` holds the bytes against btmon; here it is the program's own word.
    @Test(
        .enabled(if: access(Recording.scanner, R_OK) == 0, "skipped: pi-scanner.btsnoop is not beside the repository"))
    func `a real scanner's recording has 429 iBeacons`() throws {
        let scanned = try scan(Recording.scanner, in: TestFolder())
        #expect(scanned.values.reduce(0, +) == 429)
        #expect(scanned.keys.allSatisfy { "\($0.uuid)" == "daf246ce-8363-11e4-b116-123b93f75cba" })
    }

    @Test func `all shows what is no beacon, too, and every line has the address's kind and how often it came`() throws
    {
        let folder = try TestFolder()
        let recording = try Recording(in: folder, lasting: .seconds(30))
        let file = try folder.write(
            "state_directory = \"state\"\n[radio]\nsource = \"capture:recording.btsnoop\"\nspeed = \"fast\"\n",
            to: "scan.toml")
        let end = try Program.gateway.run("scan", "--all", "--json", "--config", file)
        let array = try #require(try JSONValue(parsing: Array(end.output.utf8), limits: .list).array, "\(end)")
        let objects = try array.map { try #require($0.object) }
        #expect(objects.allSatisfy { DeviceAddress.AddressType(rawValue: $0["address_type"]?.string ?? "") != nil })
        #expect(objects.contains { $0["per_s"] != nil })
        func count(_ objects: [JSONObject]) throws -> UInt64 {
            try objects.reduce(0) { sum, object in
                var fields = Fields(object)
                return sum + (try fields.count("sightings", in: Fields.counts) as UInt64)
            }
        }
        let (beacons, others) = (objects.filter { $0["uuid"] != nil }, objects.filter { $0["uuid"] == nil })
        #expect(try count(beacons) == recording.sightings)
        #expect(try count(others) == recording.reports - recording.sightings && !others.isEmpty)
        let table = try Program.gateway.run("scan", "--all", "--config", file)
        #expect(table.outputLines.count == objects.count + 1 && !table.output.contains("\u{1B}"))
    }

    @Test func `an adapter that is not there is one line, and 69`() throws {
        let end = try Program.gateway.run("scan", "--adapter", TransmitTests.nobody)
        #expect(end.status == 69 && end.output.isEmpty && end.errorLines.count == 1, "\(end)")
    }

    @Test(arguments: ["scan", "run"])
    func `scan reports a file that is no recording in one line, and prints nothing else`(command: String) throws {
        let folder = try TestFolder()
        let other = try folder.write("This is no recording, whatever its name says.", to: "other.btsnoop")
        let file = try folder.write(
            "state_directory = \"state\"\n[radio]\nsource = \"capture:\(other)\"\n", to: "scan.toml")
        let end = try Program.gateway.run(command, "--config", file)
        #expect(end.status == 66 && end.output.isEmpty && end.errorLines.count == 1, "\(end)")
        #expect(end.errors.contains("other.btsnoop is not a btsnoop file"))
    }

    @Test(arguments: ["fast", "recorded"])
    func `a recording that is cut is scanned until there, and then reported, with 66`(speed: String) throws {
        let folder = try TestFolder()
        let recording = try Recording(in: folder, lasting: .seconds(1))
        let cut = try folder.write("", to: "cut.btsnoop")
        try replaceFile(at: cut, with: Array(readFile(at: recording.path).dropLast(5)))
        let file = try folder.write(
            "state_directory = \"state\"\n[radio]\nsource = \"capture:\(cut)\"\nspeed = \"\(speed)\"\n", to: "scan.toml"
        )
        for _ in 0..<2 {
            let end = try Program.gateway.run("scan", "--json", "--config", file)
            #expect(end.status == 66 && !end.output.isEmpty && end.errorLines.count == 1, "\(end)")
            #expect(end.errors.contains("cut.btsnoop"), "\(end)")
            let copy = try Program.gateway.run("record", folder.path("copy.btsnoop"), "--force", "--config", file)
            #expect(copy.status == 66 && copy.errors.contains("cut.btsnoop"), "\(copy)")
            #expect(try Received.all(in: folder.path("copy.btsnoop")).isEmpty == false)
        }
    }

    /// How often each beacon was received.
    private func scan(_ path: String, in folder: TestFolder) throws -> [BeaconIdentity: UInt64] {
        let file = try folder.write(
            "state_directory = \"state\"\n[radio]\nsource = \"capture:\(path)\"\nspeed = \"fast\"\n", to: "scan.toml")
        let end = try Program.gateway.run("scan", "--json", "--config", file)
        #expect(end.status == 0 && !end.hasCrashed, "\(end)")
        let array = try #require(try JSONValue(parsing: Array(end.output.utf8), limits: .list).array)
        var counts: [BeaconIdentity: UInt64] = [:]
        for element in array {
            var fields = Fields(try #require(element.object))
            let beacon = BeaconIdentity(
                uuid: try fields.uuid("uuid"), major: try fields.count("major", in: 0...UInt16.max),
                minor: try fields.count("minor", in: 0...UInt16.max))
            #expect(counts[beacon] == nil, "twice")
            counts[beacon] = try fields.count("sightings", in: Fields.counts)
        }
        return counts
    }
}
