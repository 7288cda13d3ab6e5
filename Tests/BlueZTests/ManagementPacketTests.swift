import Beacons
import Testing

@testable import BlueZ

/// The content of one packet.
private struct Read {
    var event: ManagementEvent?
    var received: [(index: UInt16, advertisement: Advertisement, data: [UInt8])] = []
}

private func read(_ bytes: [UInt8]) throws -> Read {
    var result = Read()
    try read(bytes, into: &result)
    return result
}

private func read(_ bytes: [UInt8], into result: inout Read) throws {
    var received: [(index: UInt16, advertisement: Advertisement, data: [UInt8])] = []
    defer { result.received = received }
    result.event = try ManagementEvent.decode(bytes.span.bytes, at: .zero) { index, advertisement, data in
        received.append((index, advertisement, data.withUnsafeBytes(Array.init)))
    }?.event
}

/// Device Found from C0:11:22:33:44:51 with RSSI -51 and three bytes of data, as the kernel sends it.
private let deviceFound: [UInt8] = [
    0x12, 0x00,  // Device Found
    0x01, 0x00,  // hci1
    0x11, 0x00,  // 17 bytes follow
    0x51, 0x44, 0x33, 0x22, 0x11, 0xC0,  // address, its last byte first
    0x02,  // LE random
    0xCD,  // -51 dBm
    0x04, 0x00, 0x00, 0x00,  // flags: not connectable
    0x03, 0x00,  // 3 bytes of data
    0x02, 0x01, 0x06,  // flags: general discoverable, no BR/EDR
]

/// The same advertisement as the monitor reports it, with the monitor's handle first.
private let monitorDeviceFound: [UInt8] =
    [0x2F, 0x00, 0x01, 0x00, 0x13, 0x00] + [0x07, 0x00] + deviceFound.dropFirst(6)

@Suite struct ManagementPacketTests {
    @Test(arguments: [deviceFound, monitorDeviceFound])
    func `an advertisement is passed on with its adapter, address, RSSI and data`(packet: [UInt8]) throws {
        let result = try read(packet)
        #expect(result.event == nil)
        let (index, advertisement, data) = try #require(result.received.first)
        #expect(result.received.count == 1)
        #expect(index == 1)
        #expect(advertisement.address == DeviceAddress("C0:11:22:33:44:51", kind: .random))
        #expect(advertisement.rssi == RSSI(dBm: -51))
        #expect(data == [0x02, 0x01, 0x06])
    }

    @Test(arguments: [deviceFound, monitorDeviceFound])
    func `a packet that is cut anywhere is refused without an advertisement`(packet: [UInt8]) {
        for length in 0..<packet.count {
            var result = Read()
            #expect(throws: ManagementRefusal.truncated) { try read(Array(packet[..<length]), into: &result) }
            #expect(result.received.isEmpty)
        }
    }

    @Test func `data that claims to be longer than its packet is refused`() {
        var packet = deviceFound
        packet[18] = 0xFF  // 255 bytes of data
        #expect(throws: ManagementRefusal.truncated) { try read(packet) }
        packet[19] = 0xFF  // 65,535
        #expect(throws: ManagementRefusal.truncated) { try read(packet) }
    }

    @Test func `a sighting of Bluetooth Classic is no advertisement`() throws {
        var packet = deviceFound
        packet[12] = 0x00  // BR/EDR
        #expect(try read(packet).received.isEmpty)
    }

    @Test func `an RSSI of 127 is read as no RSSI`() throws {
        var packet = deviceFound
        packet[13] = 0x7F
        let result = try read(packet)
        #expect(result.received.count == 1)
        #expect(result.received.first?.advertisement.rssi == nil)
    }

    @Test func `events of adapters, monitors and advertisements are read`() throws {
        // Command Complete for Add Advertisement Patterns Monitor: success, handle 1.
        #expect(
            try read([0x01, 0x00, 0x00, 0x00, 0x05, 0x00, 0x52, 0x00, 0x00, 0x01, 0x00]).event
                == .reply(opcode: 0x0052, status: .success, parameters: [0x01, 0x00]))
        // Command Status for Set Powered: blocked by rfkill.
        #expect(
            try read([0x02, 0x00, 0x00, 0x00, 0x03, 0x00, 0x05, 0x00, 0x12]).event
                == .reply(opcode: 0x0005, status: .blockedByRfkill, parameters: []))
        #expect(try read([0x04, 0x00, 0x03, 0x00, 0x00, 0x00]).event == .indexAdded)
        #expect(try read([0x05, 0x00, 0x03, 0x00, 0x00, 0x00]).event == .indexRemoved)
        // New Settings: powered and Low Energy.
        #expect(
            try read([0x06, 0x00, 0x00, 0x00, 0x04, 0x00, 0x01, 0x02, 0x00, 0x00]).event
                == .newSettings([.powered, .lowEnergy]))
        #expect(
            try read([0x2C, 0x00, 0x00, 0x00, 0x02, 0x00, 0x07, 0x00]).event == .monitorRemoved(handle: 7))
        #expect(try read([0x24, 0x00, 0x00, 0x00, 0x01, 0x00, 0x05]).event == .advertisingRemoved(instance: 5))
        // Discovering is irrelevant.
        #expect(try read([0x13, 0x00, 0x00, 0x00, 0x02, 0x00, 0x06, 0x01]).event == nil)
    }

    @Test func `random bytes are read or refused and never crash`() {
        var generator = SplitMix64(seed: 1)
        for _ in 0..<20_000 {
            var packet = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            // Most packets have a known code and a matching length.
            if packet.count >= 6 {
                packet[0] = [0x01, 0x02, 0x06, 0x12, 0x24, 0x2C, 0x2F].randomElement(using: &generator)!
                packet[1] = 0
                packet[4] = UInt8(packet.count - 6)
                packet[5] = 0
            }
            _ = try? read(packet)
            _ = ControllerEvent(packet.span.bytes)
        }
    }

    @Test func `commands have the kernel's format`() {
        #expect(ManagementCommand.readIndexList.packet(index: 3) == [0x03, 0x00, 0xFF, 0xFF, 0x00, 0x00])
        #expect(ManagementCommand.readConnections.packet(index: 2) == [0x15, 0x00, 0x02, 0x00, 0x00, 0x00])
        #expect(ManagementCommand.setPowered(true).packet(index: 1) == [0x05, 0x00, 0x01, 0x00, 0x01, 0x00, 0x01])
        // Set Default System Configuration: type, length 2, value; in the order of the types.
        #expect(
            ManagementCommand.setDefaults([.monitorWindow: 0x30, .monitorInterval: 0x60]).packet(index: 0)
                == [0x4C, 0x00, 0x00, 0x00, 0x0A, 0x00] + [0x13, 0x00, 0x02, 0x60, 0x00] + [
                    0x14, 0x00, 0x02, 0x30, 0x00,
                ])
        // Add Advertisement Patterns Monitor: three patterns of 34 bytes.
        let monitor = ManagementCommand.addMonitor(MonitorDuty.patterns).packet(index: 0)
        #expect(monitor.count == 6 + 1 + 3 * 34)
        #expect(monitor[6...14] == [0x03, 0xFF, 0x00, 0x04, 0x4C, 0x00, 0x02, 0x15, 0x00])
        // Add Extended Advertising Parameters: instance, flags (intervals given), duration, time-out, intervals, power.
        #expect(
            ManagementCommand.addAdvertisingParameters(instance: 5, interval: 160).packet(index: 0)
                == [0x54, 0x00, 0x00, 0x00, 0x12, 0x00] + [0x05] + [0x00, 0x40, 0x00, 0x00] + [0, 0] + [0, 0]
                + [0xA0, 0, 0, 0] + [0xA0, 0, 0, 0] + [0x7F])
        #expect(
            ManagementCommand.addAdvertisingData(instance: 5, data: [0xAA, 0xBB]).packet(index: 0)
                == [0x55, 0x00, 0x00, 0x00, 0x05, 0x00] + [0x05, 0x02, 0x00, 0xAA, 0xBB])
    }

    @Test func `defaults are found among others of any length, and cut ones are skipped`() {
        let parameters: [UInt8] = [
            0x17, 0x00, 0x01, 0x09,  // a byte
            0x13, 0x00, 0x02, 0x60, 0x00,  // the monitor's interval: 0x60
            0x14, 0x00, 0x02, 0x30,  // the monitor's window, cut off
        ]
        #expect(
            DefaultParameter.values(in: parameters, of: [.monitorInterval, .monitorWindow]) == [.monitorInterval: 0x60])
    }
}
