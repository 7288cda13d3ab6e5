import Beacons
import HCI

/// Records of a btsnoop recording on their way to its file, the file's header before the first.
struct RecordBuffer {
    /// Their bytes, one after the other.
    private(set) var bytes = BtsnoopWriter.header
    /// Where each of them ends in `bytes`, the header first.
    private(set) var ends = [BtsnoopWriter.header.count]
    private let start: Moment

    /// - Parameter start: how the wall clock lies to the radio's; a wall clock that is set meanwhile leaves no gap in the recording.
    init(from start: Moment) {
        self.start = start
    }

    /// Adds an advertisement as the controller would have reported it; `lost` are those that the kernel lost so far.
    mutating func append(_ advertisement: Advertisement, _ data: RawSpan, lost: UInt64) {
        let since = (advertisement.at - start.instant).nanoseconds / 1000
        let time = CaptureTime(microseconds: CaptureTime(start.wall).microseconds + since)
        for packet in HCIPacket.packets(of: advertisement, data) {
            BtsnoopWriter.append(packet.span.bytes, at: time, lost: lost, to: &bytes)
            ends.append(bytes.count)
        }
    }

    /// How many bytes the records take that `count` bytes hold whole.
    func whole(within count: Int) -> Int { ends.last { $0 <= count } ?? 0 }

    /// All of them are in the file.
    mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
    }
}
