import Beacons

/// Writes a btsnoop recording of H4 event packets (datalink 1002), which btmon, Wireshark and `BtsnoopReader` open.
public enum BtsnoopWriter {
    /// What the file begins with.
    public static var header: [UInt8] { BtsnoopHeader(datalink: .h4).bytes }

    /// Appends one record: an event packet with its indicator, when it was received, and how many packets were lost since the beginning.
    ///
    /// Records are whole or not there: write each at once, and a disk that fills up leaves a file that can be read.
    public static func append(_ packet: RawSpan, at time: CaptureTime, lost: UInt64 = 0, to file: inout [UInt8]) {
        let length = UInt32(packet.byteCount).bigEndianBytes
        file += length
        file += length
        file += receivedEvent.bigEndianBytes
        file += UInt32(clamping: lost).bigEndianBytes
        file += time.btsnoop.bigEndianBytes
        packet.withUnsafeBytes { file.append(contentsOf: $0) }
    }

    /// Flags: from the controller, an event.
    private static let receivedEvent: UInt32 = 0b11
}
