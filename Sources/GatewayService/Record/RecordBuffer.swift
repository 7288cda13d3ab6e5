import Beacons
import HCI

/// The btsnoop records that are not yet in the file; at first also the file's header.
struct RecordBuffer {
    /// The records' bytes, one after the other.
    private(set) var bytes = BtsnoopWriter.header
    /// The end of each record in `bytes`, and at first the header's.
    private(set) var ends = [BtsnoopWriter.header.count]
    private let start: Moment

    /// - Parameter start: the same moment on the wall clock and the radio's clock. If the wall clock is set later, the recording has no gap.
    init(from start: Moment) {
        self.start = start
    }

    /// Adds an advertisement as the controller would have reported it; `lost` is the number of records that the kernel lost so far.
    mutating func append(_ advertisement: Advertisement, _ data: RawSpan, lost: UInt64) {
        let since = (advertisement.at - start.instant).nanoseconds / 1000
        let time = CaptureTime(microseconds: CaptureTime(start.wall).microseconds + since)
        for packet in HCIPacket.packets(of: advertisement, data) {
            BtsnoopWriter.append(packet.span.bytes, at: time, lost: lost, to: &bytes)
            ends.append(bytes.count)
        }
    }

    /// The size of all records that fit completely into `count` bytes.
    func whole(within count: Int) -> Int { ends.last { $0 <= count } ?? 0 }

    /// Removes all records, because they are in the file.
    mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
    }
}
