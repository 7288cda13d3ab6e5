import Beacons
import EventLogs
import Testing

@Suite("Segments of the event log")
struct FrameTests {
    /// The frames of a log of `sizes` events each, written one after the other.
    private func frames(_ sizes: [Int]) -> [Frame] {
        var log = EventLog(boot: "17.kfqx")
        log.begin(segment: 1)
        return sizes.map { size in
            for _ in 0..<size {
                log.append(topic: "forgetmenot/event", payload: Array(#"{"seq":\#(log.upcoming)}"#.utf8))
            }
            let frame = log.frame(at: .first)
            log.stored(frame, bytes: 0)
            return frame
        }
    }

    private func read(_ bytes: [UInt8]) -> (frames: [Frame], damaged: Int) {
        var reader = SegmentReader(bytes)
        var frames: [Frame] = []
        while let frame = reader.next() { frames.append(frame) }
        return (frames, reader.damaged)
    }

    @Test func `written frames are read back`() {
        let frames = frames([3, 1, 50])
        let (read, damaged) = read(frames.flatMap(\.bytes))
        #expect(read == frames)
        #expect(damaged == 0)
        #expect(read.map(\.seqs) == [1...3, 4...4, 5...54])
    }

    @Test func `a frame has the documented layout`() {
        let bytes = frames([1])[0].bytes
        #expect(bytes.prefix(4) == Array("FMN1".utf8)[...])
        // The body: seven letters, then the number 1.
        #expect(bytes[12...19] == [7] + Array("17.kfqx".utf8)[...])
        #expect(bytes[20...27] == [1, 0, 0, 0, 0, 0, 0, 0])
        #expect(Int(bytes[4]) + Int(bytes[5]) << 8 == bytes.count - 12)
    }

    @Test func `a torn end of a segment loses only its last frame`() {
        let frames = frames([2, 2, 2])
        let bytes = frames.flatMap(\.bytes)
        for length in bytes.count - frames[2].bytes.count..<bytes.count {
            #expect(read(Array(bytes[..<length])).frames == Array(frames[..<2]))
        }
    }

    @Test func `a damaged frame does not affect the frames around it`() {
        let frames = frames([2, 2, 2])
        var bytes = frames.flatMap(\.bytes)
        bytes[frames[0].bytes.count + 20] ^= 1
        let (read, damaged) = read(bytes)
        #expect(read == [frames[0], frames[2]])
        #expect(damaged == frames[1].bytes.count)
    }

    @Test func `a segment with any damage yields only events that were written`() {
        let frames = frames([1, 3, 2, 5, 1, 4])
        let original = frames.flatMap(\.bytes)
        var random = SplitMix64(seed: 0x6A)
        for _ in 0..<10_000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...3, using: &random) { damage(&bytes, using: &random) }
            let (read, _) = read(bytes)
            #expect(read.allSatisfy(frames.contains))
            var catalogue = Catalogue()
            catalogue.begin(segment: 1)
            for frame in read { catalogue.note(frame) }
            var log = EventLog(boot: "18.aaaa")
            log.adopt(catalogue)
            // No number occurs twice, and the numbers increase.
            let seqs = log.spans.flatMap(\.seqs)
            #expect(zip(seqs, seqs.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    /// Cuts, flips, zeroes or repeats a part of the bytes.
    private func damage(_ bytes: inout [UInt8], using random: inout SplitMix64) {
        guard !bytes.isEmpty else { return }
        let start = Int.random(in: 0..<bytes.count, using: &random)
        let end = min(bytes.count, start + Int.random(in: 1...200, using: &random))
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes.removeSubrange(start...)
        case 1: bytes[start] ^= UInt8.random(in: 1...255, using: &random)
        case 2: for index in start..<end { bytes[index] = 0 }
        case 3: bytes.insert(contentsOf: bytes[start..<end], at: Int.random(in: 0...bytes.count, using: &random))
        default: bytes.removeSubrange(start..<end)
        }
    }
}
