import Beacons
import HCI
import Testing

@testable import BlueZ

/// The event in a packet.
private func event(_ packet: [UInt8]) -> ControllerEvent? { ControllerEvent(packet.span.bytes) }

@Suite struct ControllerPacketTests {
    @Test func `commands are written with H4's indicator, opcode and length`() {
        #expect(ControllerCommand.reset.packet == [0x01, 0x03, 0x0C, 0x00])
        // LE Set Scan Parameters: passive, interval 0x60, window 0x30, own address public, every advertiser.
        #expect(
            ControllerCommand.setScanParameters(.legacy, active: false, interval: 0x60, window: 0x30).packet
                == [0x01, 0x0B, 0x20, 0x07] + [0x00, 0x60, 0x00, 0x30, 0x00, 0x00, 0x00])
        // LE Set Scan Enable: on, duplicates not filtered.
        #expect(ControllerCommand.setScanEnable(.legacy, true).packet == [0x01, 0x0C, 0x20, 0x02, 0x01, 0x00])
        // LE Set Extended Scan Parameters: own address, every advertiser, LE 1M alone, active, interval, window.
        #expect(
            ControllerCommand.setScanParameters(.extended, active: true, interval: 0x60, window: 0x60).packet
                == [0x01, 0x41, 0x20, 0x08] + [0x00, 0x00, 0x01, 0x01, 0x60, 0x00, 0x60, 0x00])
        #expect(
            ControllerCommand.setScanEnable(.extended, false).packet
                == [0x01, 0x42, 0x20, 0x06] + [0x00, 0x00, 0x00, 0x00, 0x00, 0x00])
    }

    @Test func `Command Complete, Command Status and Hardware Error are read`() {
        // Command Complete for Reset: one more command may come, status 0.
        #expect(
            event([0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00])
                == .reply(opcode: 0x0C03, status: 0, parameters: []))
        // Command Status for LE Set Scan Enable: command disallowed.
        #expect(
            event([0x04, 0x0F, 0x04, 0x0C, 0x01, 0x0C, 0x20])
                == .reply(opcode: 0x200C, status: 0x0C, parameters: []))
        #expect(event([0x04, 0x10, 0x01, 0x42]) == .hardwareError(0x42))
    }

    @Test func `a cut event and an event of another kind are ignored`() {
        #expect(event([0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C]) == nil)
        #expect(event([0x04, 0x0E, 0x03, 0x01, 0x03, 0x0C]) == nil)
        #expect(event([0x02, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]) == nil)
        #expect(event([0x04, 0x05, 0x04, 0x00, 0x01, 0x00, 0x13]) == nil)
        #expect(event([UInt8]()) == nil)
    }

    @Test func `a scan is confirmed if the controller accepts parameters and enabling`() {
        var confirmation = ScanConfirmation()
        #expect(confirmation.outcome == nil)
        // The scan is disabled first, which does not confirm a scan.
        confirmation.note(opcode: 0x200C, status: 0)
        #expect(confirmation.outcome == nil)
        confirmation.note(opcode: 0x200B, status: 0)
        #expect(confirmation.outcome == nil)
        confirmation.note(opcode: 0x200C, status: 0)
        #expect(confirmation.outcome == .done([]))
    }

    @Test func `a scan that is refused is not confirmed`() {
        var confirmation = ScanConfirmation()
        confirmation.note(opcode: 0x2041, status: 0x0C)
        #expect(confirmation.outcome == .refused(0x0C))
        confirmation = ScanConfirmation()
        confirmation.note(opcode: 0x2041, status: 0)
        confirmation.note(opcode: 0x2042, status: 0x0C)
        #expect(confirmation.outcome == .refused(0x0C))
    }

    @Test func `scan times are converted to the controller's units within its limits`() {
        let usual = ScanTiming(interval: .milliseconds(60), window: .milliseconds(30))
        #expect(usual.interval == 0x60)
        #expect(usual.window == 0x30)
        let absurd = ScanTiming(interval: .zero, window: .seconds(1e9))
        #expect(absurd.interval == 0x0004)
        #expect(absurd.window == 0x0004)
        #expect(ScanTiming(interval: .seconds(1e9), window: .seconds(1)).interval == 0x4000)
    }

    @Test func `an adapter is named by number or address, and other texts are refused`() {
        #expect(AdapterName("hci0") == .index(0))
        #expect(AdapterName("hci12") == .index(12))
        let address = DeviceAddress("B8:27:EB:00:00:01", kind: .public)!
        #expect(AdapterName("b8:27:eb:00:00:01") == .address(address))
        for wrong in ["", "hci", "hci-1", "hci+1", "hci65535", "hci99999", "eth0", "B8:27:EB:00:00"] {
            #expect(AdapterName(wrong) == nil, "\(wrong)")
        }
    }
}
