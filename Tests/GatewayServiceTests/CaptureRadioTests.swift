import Beacons
import Glibc
import HCI
import Linux
import Testing

@testable import GatewayService

@Suite("A recording as a radio")
struct CaptureRadioTests {
    /// A recording in which nothing was heard: btsnoop's name, version 1, datalink 2001 (Linux monitor).
    private func silence() throws -> CaptureRadio {
        let path = "/tmp/forgetmenot-\(UInt64.random(in: 0 ... .max)).btsnoop"
        defer { unlink(path) }
        try replaceFile(at: path, with: Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 0x07, 0xD1])
        return try CaptureRadio(
            path: path, settings: CapturePlayer.Settings(atEnd: .silence), at: TestGateway.moment(0).instant)
    }

    @Test func `a recording that is over answers at once when it is asked for proof, and then waits for nothing`()
        throws
    {
        var radio = try silence()
        let now = TestGateway.moment(1).instant
        #expect(radio.advance(to: now) { _, _ in }.count == 1)
        let idle = radio.nextDeadline
        radio.prove(at: now)
        let due = radio.nextDeadline
        #expect(idle == nil)
        #expect(try #require(due) <= now)
        guard case .proven? = radio.advance(to: now, hear: { _, _ in }).first else {
            Issue.record("no proof")
            return
        }
        let idleAgain = radio.nextDeadline
        #expect(idleAgain == nil)
    }

    @Test func `a simulated house answers at once when it is asked for proof`() throws {
        let start = TestGateway.moment(0)
        var radio = SimulationRadio(seed: 1, gateway: "kitchen", room: "Kitchen", at: start)
        _ = radio.advance(to: start.instant) { _, _ in }
        radio.prove(at: start.instant)
        let due = radio.nextDeadline
        #expect(try #require(due) <= start.instant)
    }
}
