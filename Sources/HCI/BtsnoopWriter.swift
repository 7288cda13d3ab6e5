import Beacons

/// Writes a btsnoop recording of H4 event packets (datalink 1002), which btmon, Wireshark and `BtsnoopReader` open.
public enum BtsnoopWriter {
    /// The header of the file.
    public static var header: [UInt8] { BtsnoopHeader(datalink: .h4).bytes }

    /// Appends one record: an event packet with its indicator, the time of its arrival, and the number of packets lost
    /// since the beginning.
    ///
    /// Write each record at once, so that records are complete or absent: the file then stays readable when the disk is
    /// full.
    public static func append(_ packet: RawSpan, at time: CaptureTime, lost: UInt64 = 0, to file: inout [UInt8]) {
        let length = UInt32(packet.byteCount).bigEndianBytes
        file += length
        file += length
        file += receivedEvent.bigEndianBytes
        file += UInt32(clamping: lost).bigEndianBytes
        file += time.btsnoop.bigEndianBytes
        packet.withUnsafeBytes { file.append(contentsOf: $0) }
    }

    /// The flags of an event from the controller.
    private static let receivedEvent: UInt32 = 0b11
}
