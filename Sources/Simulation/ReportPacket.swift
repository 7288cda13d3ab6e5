import Beacons

/// An HCI event as the controller sends it, in the form of H4, with LE Advertising Reports (Core 5.4, Vol 4, A 2 and E 7.7.65.2):
/// ```
/// 04 3E length 02 reports { eventType addressType address[6] dataLength data[] rssi }...
/// ```
/// The address is little-endian. A new packet's bytes replace the last one's in the same memory.
struct ReportPacket: Sendable {
    /// The largest length of the parameters, which is one byte.
    private static let mostParameters = 255
    /// Before the first report.
    private static let header = 5

    private(set) var bytes: [UInt8]

    init() {
        bytes = []
        bytes.reserveCapacity(ReportPacket.header + ReportPacket.mostParameters)
        clear()
    }

    var isEmpty: Bool { bytes[4] == 0 }

    mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
        bytes += [0x04, 0x3E, 0x02, 0x02, 0x00]
    }

    /// Whether a report with so much data still fits.
    func fits(dataLength: Int) -> Bool { Int(bytes[2]) + 10 + dataLength <= ReportPacket.mostParameters }

    mutating func add(eventType: UInt8, address: DeviceAddress, data: [UInt8], rssi: RSSI) {
        precondition(data.count <= 31 && fits(dataLength: data.count), "too much for one packet")
        bytes.append(eventType)
        bytes.append(address.kind == .public ? 0x00 : 0x01)
        for shift in stride(from: UInt64(0), to: 48, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: address.bits >> shift))
        }
        bytes.append(UInt8(data.count))
        bytes += data
        bytes.append(UInt8(bitPattern: rssi.dBm))
        bytes[4] += 1
        bytes[2] = UInt8(bytes.count - 3)
    }
}
