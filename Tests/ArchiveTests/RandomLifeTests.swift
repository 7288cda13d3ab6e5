import Beacons
import Foundation
import EventLogs
import Linux
import Testing

/// A log goes through kills, lost connections and a disk that comes and goes, drawn from a seed; a model computes the expected result.
@Suite("The event log, whatever happens")
struct RandomLifeTests {
    @Test(arguments: 1...150)
    func `committed events are delivered, in order, and stay in the archive`(seed: Int) throws {
        try withTemporaryFolder { path in
            var random = SplitMix64(seed: UInt64(seed))
            var life = Life(path)
            for _ in 0..<80 { try life.step(using: &random) }
            try life.bringBackTheDisk()
            life.fixture.restart()
            life.committed()
            life.fixture.deliver()
            let delivered = Set(life.fixture.delivered.map(\.place))
            #expect(life.stored.allSatisfy(delivered.contains), "seed \(seed)")
            #expect(life.isInOrder, "seed \(seed): \(life.fixture.delivered.map(\.place))")
            #expect(life.fixture.log.lost == 0, "seed \(seed)")
            // A reader that asks for everything gets what was committed, and nothing else.
            let there = life.fixture.log.spans.flatMap { span in span.seqs.map { Place(boot: span.boot, seq: $0) } }
            #expect(there == life.stored, "seed \(seed)")
            for span in life.fixture.log.spans {
                #expect(life.fixture.events(of: span.boot, span.seqs).count == span.seqs.count, "seed \(seed)")
            }
        }
    }
}

/// One folder's life, and what is known to be on its disk.
private struct Life {
    var fixture: ArchiveFixture
    /// Every event that is on the disk, in order.
    private(set) var stored: [Place] = []
    private(set) var isInOrder = true
    private var isAway = false
    private let events: String

    init(_ path: String) {
        fixture = ArchiveFixture(path)
        events = path + "/events"
    }

    mutating func step(using random: inout SplitMix64) throws {
        switch Int.random(in: 0..<12, using: &random) {
        case 0...3: fixture.happen(Int.random(in: 1...9, using: &random))
        case 4...6: fixture.keep(after: Double.random(in: 0...7, using: &random))
        case 7, 8: deliver(Int.random(in: 1...12, using: &random), isLost: false)
        case 9: deliver(Int.random(in: 1...12, using: &random), isLost: true)
        case 10: fixture.restart()
        default: if isAway { try bringBackTheDisk() } else { try takeAwayTheDisk() }
        }
        committed()
    }

    /// Notes what the log reports as written to the disk.
    mutating func committed() {
        guard fixture.archive.problem == nil, !isAway else { return }
        let known = Set(stored)
        for segment in fixture.log.catalogue.everything where !known.contains(segment) { stored.append(segment) }
    }

    private mutating func deliver(_ most: Int, isLost: Bool) {
        let before = fixture.delivered.count
        fixture.deliver(most, acknowledging: !isLost)
        if isLost { fixture.log.rewind() }
        let new = fixture.delivered[before...].map(\.place)
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
