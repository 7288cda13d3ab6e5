import Beacons
import GatewayCore
import Settings
import Testing

@testable import GatewayService

/// What the gateway reports of its own beacon.
struct BeaconSenderTests {
    private let beacon = BeaconTransmission(
        identity: BeaconIdentity(uuid: BeaconUUID("e2c56db5-dffb-48d2-b060-d0f5a71096e0")!, major: 1, minor: 2))
    private let off = [RadioNotice.state(.poweredOff, reason: "hci0 was switched off")]
    private let on = [RadioNotice.state(.poweredOn, reason: "advertising")]

    private func sender() -> BeaconSender {
        let reading = readSettings([], file: "g.toml") { GatewayConfiguration($0, hostName: "host") }
        return BeaconSender(reading.configuration!)
    }

    private func at(_ seconds: Double) -> Instant { .zero + .seconds(1000 + seconds) }

    @Test func `an adapter that is switched off and on again within seconds is no problem, each time`() {
        var sender = sender()
        #expect(sender.note(on, of: beacon, at: at(0)) == ["\(beacon)"])
        for second in [100.0, 600] {
            #expect(sender.note(off, of: beacon, at: at(second)) == [])
            #expect(sender.nextDeadline == at(second + 10))
            #expect(sender.note([], of: beacon, at: at(second + 9)) == [] && sender.problem == nil)
            #expect(sender.note(on, of: beacon, at: at(second + 9)) == [])
            #expect(sender.note([], of: beacon, at: at(second + 60)) == [] && sender.problem == nil)
            #expect(sender.nextDeadline == nil)
        }
    }

    @Test func `an adapter that stays off is a problem after ten seconds, and its end is logged, each time`() {
        var sender = sender()
        for second in [0.0, 600] {
            #expect(sender.note(off, of: beacon, at: at(second)) == [])
            let reasons = [RadioNotice.state(.poweredOff, reason: "hci0 is off: blocked by rfkill")]
            #expect(sender.note(reasons, of: beacon, at: at(second + 2)) == [])
            let problem = "the beacon is not sent: hci0 is off: blocked by rfkill"
            #expect(sender.note([], of: beacon, at: at(second + 10)) == [problem])
            #expect(sender.problem == problem && sender.nextDeadline == nil)
            #expect(sender.note([], of: beacon, at: at(second + 11)) == [])
            #expect(sender.note(on, of: beacon, at: at(second + 12)) == ["\(beacon)"] && sender.problem == nil)
        }
    }
}
