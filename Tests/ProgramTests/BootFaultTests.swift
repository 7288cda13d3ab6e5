import Beacons
import TestBroker
import Testing

/// A start in the midst of a fault: eleven of them, eight plain and with TLS, three with TLS alone.
@Suite(
    .enabled(
        if: TestBroker.isInstalled && isProgramInstalled("openssl"), "skipped: no mosquitto or no openssl here"))
struct BootFaultTests {
    /// The back-off is capped at 4 s, which leaves one for the connection.
    private let promised = Interval.seconds(5)
    /// On a machine that does all of this at once one of them may be late, by as much again.
    private let patience = (late: 1, longest: Interval.seconds(10))

    @Test func `both programs start under every fault, monitor, and are connected soon after the fault ends`()
        throws
    {
        let papers = try FaultySite.Papers()
        var houses: [FaultySite] = []
        for fault in BootFault.allCases {
            if let hindrance = fault.hindrance {
                // Counted as skipped by Tests/run.sh.
                print("skipped: boot fault \(fault.rawValue): \(hindrance)")
                continue
            }
            for hasTLS in fault.needsTLS ? [true] : [false, true] {
                houses.append(try FaultySite(fault, withTLS: hasTLS, papers))
            }
        }
        try #require(!houses.isEmpty, "no boot fault can be caused here, which proves nothing")
        // All at once: each of them waits, and hardly one works.
        for house in houses { try house.start() }
        for house in houses { try house.waitForFault() }
        for house in houses { try house.heal() }
        var late: [String] = []
        for house in houses {
            let took = try house.recovery()
            if took ?? .zero > promised { late.append(house.name) }
            if let took { print("boot fault: \(house.name): connected \(took.milliseconds) ms after its end") }
            #expect(took ?? .zero <= patience.longest, "\(house.name)")
        }
        #expect(late.count <= patience.late, "\(late)")
        for house in houses { #expect(try house.stop() == []) }
        print("boot faults: \(houses.count) of 19 healed")
    }
}
