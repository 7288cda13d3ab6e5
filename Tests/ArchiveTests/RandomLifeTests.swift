import Archive
import Beacons
import Foundation
import Journal
import Linux
import Testing

/// A log lives through kills, lost connections and a disk that comes and goes, as a seed has it; a model says what must come of it.
@Suite("The event log, whatever happens")
struct RandomLifeTests {
    @Test(arguments: 1...150)
    func `what was committed is delivered, in order, and stays there`(seed: Int) throws {
        try withTemporaryFolder { path in
            var random = SplitMix64(seed: UInt64(seed))
            var life = Life(path)
            for _ in 0..<80 { try life.step(using: &random) }
            try life.bringBackTheDisk()
            life.desk.restart()
            life.committed()
            life.desk.deliver()
            let delivered = Set(life.desk.delivered.map(\.place))
            #expect(life.stored.allSatisfy(delivered.contains), "seed \(seed)")
            #expect(life.isInOrder, "seed \(seed): \(life.desk.delivered.map(\.place))")
            #expect(life.desk.log.lost == 0, "seed \(seed)")
            // A reader that asks for everything gets what was committed, and nothing else.
            let there = life.desk.log.spans.flatMap { span in span.seqs.map { Place(boot: span.boot, seq: $0) } }
            #expect(there == life.stored, "seed \(seed)")
            for span in life.desk.log.spans {
                #expect(life.desk.events(of: span.boot, span.seqs).count == span.seqs.count, "seed \(seed)")
            }
        }
    }
}

/// One folder's life, and what is known to be on its disk.
private struct Life {
    var desk: Desk
    /// Every event that is on the disk, in order.
    private(set) var stored: [Place] = []
    private(set) var isInOrder = true
    private var isAway = false
    private let events: String

    init(_ path: String) {
        desk = Desk(path)
        events = path + "/events"
    }

    mutating func step(using random: inout SplitMix64) throws {
        switch Int.random(in: 0..<12, using: &random) {
        case 0...3: desk.happen(Int.random(in: 1...9, using: &random))
        case 4...6: desk.keep(after: Double.random(in: 0...7, using: &random))
        case 7, 8: deliver(Int.random(in: 1...12, using: &random), isLost: false)
        case 9: deliver(Int.random(in: 1...12, using: &random), isLost: true)
        case 10: desk.restart()
        default: if isAway { try bringBackTheDisk() } else { try takeAwayTheDisk() }
        }
        committed()
    }

    /// Notes what the log says is on the disk.
    mutating func committed() {
        guard desk.archive.problem == nil, !isAway else { return }
        let known = Set(stored)
        for segment in desk.log.catalogue.everything where !known.contains(segment) { stored.append(segment) }
    }

    private mutating func deliver(_ most: Int, isLost: Bool) {
        let before = desk.delivered.count
        desk.deliver(most, acknowledging: !isLost)
        if isLost { desk.log.rewind() }
        let new = desk.delivered[before...].map(\.place)
        isInOrder = isInOrder && zip(new, new.dropFirst()).allSatisfy { isBefore($0, $1) }
    }

    private func isBefore(_ left: Place, _ right: Place) -> Bool {
        (Int(left.boot.dropLast(5))!, left.seq) < (Int(right.boot.dropLast(5))!, right.seq)
    }

    private mutating func takeAwayTheDisk() throws {
        try FileManager.default.moveItem(atPath: events, toPath: events + ".away")
        try replaceFile(at: events, with: [])
        isAway = true
    }

    mutating func bringBackTheDisk() throws {
        guard isAway else { return }
        try FileManager.default.removeItem(atPath: events)
        try FileManager.default.moveItem(atPath: events + ".away", toPath: events)
        isAway = false
    }
}

extension Catalogue {
    /// Every event that is there, by place.
    fileprivate var everything: [Place] {
        var log = EventLog(boot: "0.none")
        log.adopt(self)
        return log.spans.flatMap { span in span.seqs.map { Place(boot: span.boot, seq: $0) } }
    }
}
