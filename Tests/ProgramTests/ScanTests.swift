import Beacons
import Glibc
import Messages
import TestBroker
import Testing

/// What a recording holds, without a broker.
struct ScanTests {
    @Test func `scan names each beacon of a recording, with how often it was heard, in one array`() throws {
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

    @Test(arguments: ["scan", "run"])
    func `what is no recording is said in one line, and nothing else`(command: String) throws {
        let folder = try TestFolder()
        let other = try folder.write("This is no recording, whatever its name says.", to: "other.btsnoop")
        let file = try folder.write(
            "state_directory = \"state\"\n[radio]\nsource = \"capture:\(other)\"\n", to: "scan.toml")
        let end = try Program.gateway.run(command, "--config", file)
        #expect(end.status == 66 && end.output.isEmpty && end.errorLines.count == 1, "\(end)")
        #expect(end.errors.contains("other.btsnoop is not a btsnoop file"))
    }

    /// How often each beacon was heard.
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
