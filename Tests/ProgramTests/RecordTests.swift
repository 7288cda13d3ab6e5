import Beacons
import Glibc
import HCI
import Linux
import TestBroker
import Testing

/// A recording has what was received, whatever becomes of the disk.
struct RecordTests {
    private let folder: TestFolder
    private let recording: Recording
    private let configuration: String

    init() throws {
        folder = try TestFolder()
        recording = try Recording(in: folder, lasting: .seconds(30))
        configuration = try folder.write(
            "state_directory = \"state\"\n[radio]\nsource = \"capture:recording.btsnoop\"\nspeed = \"fast\"\n",
            to: "gateway.toml")
    }

    private func record(_ words: String...) throws -> Ended {
        try RunningProgram([Program.gateway.path, "record", "--config", configuration] + words).ended()
    }

    @Test func `a recording plays each advertisement at its time`() throws {
        let copy = folder.path("copy.btsnoop")
        let end = try record(copy)
        #expect(end.status == 0 && end.output.isEmpty && end.errors.isEmpty, "\(end)")
        let (received, again) = (try Received.all(in: recording.path), try Received.all(in: copy))
        #expect(received.count > 1000 && received == again)
    }

    @Test func `a span ends it`() throws {
        let copy = folder.path("copy.btsnoop")
        #expect(try record(copy, "--for", "10s").status == 0)
        let all = try Received.all(in: recording.path)
        #expect(try Received.all(in: copy) == all.filter { $0.microseconds < 10_000_000 })
        for span in ["0s", "366d", "99999999999999d"] {
            #expect(try record(folder.path("other.btsnoop"), "--for", span).status == 64)
        }
        let wrong = try record(folder.path("other.btsnoop"), "--for", "soon")
        #expect(wrong.status == 64 && wrong.errorLines.count == 1, "\(wrong)")
    }

    @Test func `record reports a full disk in one line, and the recording until then can be read`() throws {
        let copy = folder.path("copy.btsnoop")
        // In the shell's blocks, of 512 or 1024 bytes: no more room for a file, as on a full disk.
        let line = "ulimit -f 9; exec '\(Program.gateway.path)' record '\(copy)' --config '\(configuration)'"
        let end = try RunningProgram(["/bin/sh", "-c", line]).ended()
        #expect(end.status == 74 && end.output.isEmpty && end.errorLines.count == 1, "\(end)")
        #expect(end.errors.contains("copy.btsnoop") && end.errors.contains("can be read"), "\(end)")
        let readable = try Received.all(in: copy)
        #expect(readable.count > 50)
        #expect(try readable == Array(Received.all(in: recording.path).prefix(readable.count)))
    }

    @Test func `a device without room is one line, and 74`() throws {
        let end = try record("/dev/full")
        #expect(end.status == 74 && end.output.isEmpty && end.errorLines.count == 1, "\(end)")
        #expect(end.errors.contains("nothing was recorded"), "\(end)")
    }

    @Test func `a file that is there is replaced by force alone`() throws {
        let copy = try folder.write("A diary.", to: "copy.btsnoop")
        let refused = try record(copy)
        #expect(refused.status == 64 && refused.output.isEmpty && refused.errorLines.count == 1, "\(refused)")
        #expect(try readFile(at: copy) == Array("A diary.".utf8))
        #expect(try record(copy, "--force").status == 0)
        #expect(try Received.all(in: copy) == Received.all(in: recording.path))
    }

    @Test func `the recording that is played is written over by nobody, whatever it is called`() throws {
        let before = try readFile(at: recording.path)
        let (link, name) = (folder.path("link.btsnoop"), folder.path("name.btsnoop"))
        #expect(symlink(recording.path, link) == 0 && Glibc.link(recording.path, name) == 0)
        for path in [recording.path, link, name] {
            let end = try record(path, "--force")
            #expect(end.status == 64 && end.output.isEmpty && end.errorLines.count == 1, "\(end)")
            #expect(end.errors.contains("radio.source"), "\(end)")
            #expect(try readFile(at: recording.path) == before)
        }
    }

    @Test func `an adapter that is not there is one line and 69, and costs no file`() throws {
        let copy = folder.path("copy.btsnoop")
        let end = try record(copy, "--adapter", TransmitTests.nobody)
        #expect(end.status == 69 && end.output.isEmpty && end.errorLines.count == 1, "\(end)")
        #expect(access(copy, F_OK) != 0)
    }
}

/// One advertisement of a recording, at its time from the first one's on.
struct Received: Equatable {
    var microseconds: Int64
    var address: DeviceAddress
    var rssi: RSSI?
    var data: [UInt8]

    /// Every advertisement of the file at `path`, all of which has to be readable.
    static func all(in path: String) throws -> [Received] {
        var (reader, decoder) = (BtsnoopReader(), AdvertisementDecoder())
        var all: [Received] = []
        var first: CaptureTime?
        let bytes = try readFile(at: path)
        reader.feed(bytes.span.bytes)
        reader.finish()
        while case .event(let time) = try reader.next() {
            let start = first ?? time
            first = start
            reader.withEvent { event in
                decoder.decode(event: event, at: .zero) { advertisement, data in
                    all.append(
                        Received(
                            microseconds: time.microseconds - start.microseconds, address: advertisement.address,
                            rssi: advertisement.rssi, data: data.withUnsafeBytes(Array.init)))
                }
            }
        }
        return all
    }
}
