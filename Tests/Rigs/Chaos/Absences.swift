import Beacons
import Linux

/// When a gateway was without its broker for so long that it may have been dead to the aggregator, as its own log has it.
struct Absences {
    /// A will waits 10 s; what the broker and the two lines take is not known here.
    static let longest = Interval.seconds(7)

    private var spans: [ClosedRange<WallTime>] = []

    /// None.
    init() {}

    init(log path: String) {
        guard let bytes = try? readFile(at: path, limit: 16 << 20) else { return }
        var since: WallTime?
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            guard let time = line.split(separator: " ").first.flatMap({ WallTime(String($0)) }) else { continue }
            if line.contains("Connected to the broker") {
                // An exit is dated before it is noticed, and what stood in the broker's queue comes a little later.
                if let since, time - since > Self.longest { spans.append(since - .seconds(8)...time + .seconds(3)) }
                since = nil
            } else if since == nil,
                line.contains("The connection to the broker ended") || line.contains(" receives from ")
            {
                since = time
            }
        }
    }

    func contain(_ time: WallTime) -> Bool { spans.contains { $0.contains(time) } }
}
