import Beacons
import Glibc
import HCI
import Linux
import Testing

@testable import GatewayService

@Suite("A recording as a radio")
struct CaptureRadioTests {
    /// A recording without an advertisement: btsnoop's name, version 1, datalink 2001 (Linux monitor).
    private func silence() throws -> CaptureRadio {
        let path = "/tmp/forgetmenot-\(UInt64.random(in: 0 ... .max)).btsnoop"
        defer { unlink(path) }
        try replaceFile(at: path, with: Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 0x07, 0xD1])
        return try CaptureRadio(
            path: path, settings: CapturePlayer.Settings(atEnd: .silence), at: moment(0).instant)
    }

    @Test func `a recording that is over responds at once to a request for proof, and then has no deadline`()
        throws
    {
        var radio = try silence()
        let now = moment(1).instant
        #expect(radio.advance(to: now) { _, _ in }.count == 1)
        #expect(radio.advance(to: now) { _, _ in }.count == 0)
        let idle = radio.nextDeadline
        radio.prove(at: now)
        let due = radio.nextDeadline
        #expect(idle == nil)
        #expect(try #require(due) <= now)
        guard case .proven? = radio.advance(to: now, receive: { _, _ in }).first else {
            Issue.record("no proof")
            return
        }
        let idleAgain = radio.nextDeadline
        #expect(idleAgain == nil)
    }

    @Test func `a recording that is a folder is refused with its path and the reason`() {
        for _ in 1...2 {
            let failure = #expect(throws: Failure.self) {
                _ = try CaptureRadio(path: "/tmp", settings: CapturePlayer.Settings(), at: moment(0).instant)
            }
            #expect(failure?.description == "the recording cannot be played: cannot read /tmp: Is a directory")
        }
    }

    @Test(arguments: CapturePlayer.AtEnd.allCases)
    func `a disk that fails while a recording is played ends it with its path and the reason`(
        atEnd: CapturePlayer.AtEnd
    ) throws {
        for _ in 1...2 {
            let path = "/tmp/forgetmenot-\(UInt64.random(in: 0 ... .max)).btsnoop"
            defer { unlink(path) }
            var file = BtsnoopWriter.header
            let report: [UInt8] = [0x04, 0x3E, 0x0F, 0x02, 0x01, 0x03, 0x01, 1, 2, 3, 4, 5, 0xC6, 3, 2, 1, 6, 0xC4]
            for millisecond in 0..<4000 {
                BtsnoopWriter.append(
                    report.span.bytes, at: CaptureTime(microseconds: Int64(millisecond) * 1000), to: &file)
            }
            try replaceFile(at: path, with: file)
            let start = moment(0).instant
            var radio = try CaptureRadio(path: path, settings: CapturePlayer.Settings(atEnd: atEnd), at: start)
            #expect(turns(of: &radio, at: start) == ["poweredOn", "advertisement"])
            // From now on the file's descriptor cannot be read.
            let folder = open("/tmp", O_RDONLY)
            defer { close(folder) }
            dup2(folder, radio.descriptor)
            var advertisements = 0
            let notices = radio.advance(to: start + .seconds(60)) { _, _ in advertisements += 1 }
            #expect(advertisements > 0 && advertisements < 3999)
            let problem = "the recording is cut: cannot read \(path): Is a directory"
            #expect(notices == [.state(.unsupported, reason: problem), .ended(problem: problem)])
        }
    }

    @Test func `a simulated house responds at once to a request for proof`() throws {
        let start = moment(0)
        var radio = SimulationRadio(seed: 1, gateway: "kitchen", room: "Kitchen", startAt: nil, at: start)
        for _ in 0..<2 { _ = radio.advance(to: start.instant) { _, _ in } }
        radio.prove(at: start.instant)
        let due = radio.nextDeadline
        #expect(try #require(due) <= start.instant)
    }

    /// What a radio reports and delivers in its first two turns, in order.
    private func turns(of radio: inout some Radio, at now: Instant) -> [String] {
        var story: [String] = []
        for _ in 0..<2 {
            let notices = radio.advance(to: now) { _, _ in story.append("advertisement") }
            story += notices.map { if case .state(let state, _) = $0 { "\(state)" } else { "other" } }
        }
        return story
    }

    @Test func `the first advertisement of a recording comes after the report that the radio scans`() throws {
        let path = "/tmp/forgetmenot-\(UInt64.random(in: 0 ... .max)).btsnoop"
        defer { unlink(path) }
        var file = BtsnoopWriter.header
        let report: [UInt8] = [0x04, 0x3E, 0x0F, 0x02, 0x01, 0x03, 0x01, 1, 2, 3, 4, 5, 0xC6, 3, 2, 1, 6, 0xC4]
        BtsnoopWriter.append(report.span.bytes, at: CaptureTime(microseconds: 0), to: &file)
        try replaceFile(at: path, with: file)
        let start = moment(0).instant
        var radio = try CaptureRadio(path: path, settings: CapturePlayer.Settings(atEnd: .silence), at: start)
        #expect(turns(of: &radio, at: start) == ["poweredOn", "advertisement"])
    }

    @Test func `the first advertisement of a simulated house comes after the report that the radio scans`() {
        let start = moment(0)
        var radio = SimulationRadio(seed: 1, gateway: "kitchen", room: "Kitchen", startAt: nil, at: start)
        let story = turns(of: &radio, at: start.instant + .seconds(20))
        #expect(story.first == "poweredOn" && story.contains("advertisement"))
    }
}

private func moment(_ seconds: Double) -> Moment {
    let start = WallTime("2026-11-21T05:40:00Z")!
    return Moment(instant: .zero + .seconds(1000 + seconds), wall: start + .seconds(seconds), isSynchronised: true)
}
