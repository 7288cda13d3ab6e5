import Beacons
import BlueZ
import Doctor
import HCI
import Testing

@testable import GatewayService

/// What `doctor` makes of an adapter's report.
struct AdapterExaminationTests {
    private var report: AdapterReport
    private var interface = AdapterInterface.auto

    init() {
        report = AdapterReport(
            capabilities: Capabilities(held: [.networkAdministration, .rawSockets]), hasBluetoothd: false)
        report.name = "hci0"
        report.address = DeviceAddress("B8:27:EB:00:00:01", kind: .public)
        report.hasLowEnergy = true
        report.driver = "btusb"
        report.bus = "usb"
        report.rfkill = Rfkill(soft: false, hard: false)
        report.hasMonitor = true
    }

    private var found: [String: Finding] {
        let examination = AdapterExamination(
            name: .index(0), interface: interface, report: report, capabilities: report.capabilities,
            holder: "this process")
        return Dictionary(uniqueKeysWithValues: examination.findings().map { ($0.subject, $0) })
    }

    @Test func `an adapter that has all it needs is right in every line`() {
        #expect(found.count == 6 && found.values.allSatisfy { $0.verdict == .passed })
        #expect(found["adapter"]?.sentence == "hci0 B8:27:EB:00:00:01, off (a scan switches it on)")
        #expect(found["driver"]?.sentence == "btusb, on usb")
        #expect(found["interface"]?.sentence.hasPrefix("monitor") == true)
    }

    @Test mutating func `an adapter that is not there is one wrong line, which names the others`() {
        report.name = nil
        report.others = []
        #expect(found["adapter"]?.sentence == "there is no hci0, and no other: plug one in")
        #expect(found.values.filter { $0.verdict == .failed }.map(\.subject) == ["adapter"])
        report.problem = "cannot open the management channel: Address family not supported by protocol"
        #expect(found["adapter"]?.sentence == report.problem)
    }

    @Test mutating func `the block of an adapter is named, with its remedy`() {
        report.rfkill = Rfkill(soft: true, hard: false)
        #expect(found["rfkill"]?.verdict == .failed && found["rfkill"]?.sentence.contains("rfkill unblock") == true)
        report.rfkill = Rfkill(soft: true, hard: true)
        #expect(found["rfkill"]?.verdict == .failed && found["rfkill"]?.sentence.contains("switch") == true)
        report.rfkill = nil
        #expect(found["rfkill"]?.verdict == .passed)
    }

    @Test mutating func `a missing capability fails where it is needed, and the finding names how to grant it`() {
        report.capabilities = Capabilities(held: [.networkAdministration])
        #expect(found["capabilities"]?.verdict == .passed && found["interface"]?.verdict == .passed)
        interface = .raw
        #expect(found["capabilities"]?.sentence.contains("CAP_NET_RAW is missing") == true)
        interface = .auto
        report.capabilities = Capabilities(held: [])
        report.hasMonitor = nil
        #expect(found["capabilities"]?.verdict == .failed && found["interface"]?.verdict == .skipped)
        #expect(found["capabilities"]?.sentence.contains("setcap cap_net_admin,cap_net_raw+ep") == true)
    }

    @Test mutating func `the finding names the interface that would run, and the reason`() {
        report.hasMonitor = false
        #expect(
            found["interface"]?.sentence == "raw, as the kernel has no advertisement monitor, which 5.10 and later have"
        )
        report.capabilities = Capabilities(held: [.networkAdministration])
        #expect(found["interface"]?.verdict == .failed)
        interface = .monitor
        #expect(found["interface"]?.verdict == .failed && found["interface"]?.sentence.contains("\"auto\"") == true)
        (report.hasMonitor, report.filtersByItself, interface) = (true, true, .auto)
        #expect(found["interface"]?.verdict == .passed && found["interface"]?.sentence.hasPrefix("monitor") == true)
        report.capabilities = Capabilities(held: [.networkAdministration, .rawSockets])
        #expect(found["interface"]?.sentence == "raw, as the controller filters by itself")
    }
}
