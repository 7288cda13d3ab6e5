import Archive
import Beacons
import Glibc
import EventLogs
import Linux
import Messages
import Testing

@testable import GatewayCore

/// A gateway that is without its broker for hours, while an event happens every second: a real pipeline, and a log on a real disk.
struct OutageTests {
    /// `FORGETMENOT_OUTAGE_HOURS=24` for a whole day, which takes a minute.
    static let hours = getenv("FORGETMENOT_OUTAGE_HOURS").flatMap { Double(String(cString: $0)) } ?? 1

    @Test func `all events of a long outage are delivered, in order`() throws {
        let outage = try Outage(hours: Self.hours, megabytes: 64)
        #expect(Double(outage.happened) >= Self.hours * 3600)
        #expect(outage.lost == 0)
        #expect(outage.delivered == Array(1...outage.happened))
        #expect(outage.mostInMemory <= EventLog.mostInMemory)
    }

    @Test func `events that a small disk dropped during a long outage are counted exactly, and listed in responses`()
        throws
    {
        // Of an hour, a third and more has room in a megabyte.
        let outage = try Outage(hours: Self.hours, megabytes: 1)
        let first = try #require(outage.delivered.first)
        #expect(first > 1 && outage.lost == first - 1)
        #expect(outage.delivered == Array(first...outage.happened))
        #expect(outage.forgotten == [SeqRange(from: 1, to: first - 1)])
    }
}

/// One outage, from its beginning to the last delivery.
private struct Outage {
    var happened: UInt64 = 0
    var lost: UInt64 = 0
    /// The numbers of what was delivered, in order.
    var delivered: [UInt64] = []
    /// What the response to a request for all events reports as gone.
    var forgotten: [SeqRange] = []
    var mostInMemory = 0

    init(hours: Double, megabytes: Int) throws {
        var template = Array(
            "\(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp")/forgetmenot-outage-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError.last("make a folder") }
        let folder = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        defer { Self.delete(folder) }
        let archive = EventArchive(in: StateFolder(path: folder))
        var gateway = TestGateway(
            """
            [monitoring]
            exit_after = "5s"
            [log]
            size_mb = \(megabytes)
            [[region]]
            identifier = "Bags"
            uuid = "\(TestGateway.bag.uuid)"
            """)
        let before = Vitals.residentBytes
        for second in stride(from: 0, to: hours * 3600 + 30, by: 1) {
            // Ten bags, each received once in twenty seconds: one enters and one exits each second.
            if Int(second) % 2 == 0 {
                var bag = TestGateway.bag
                bag.minor = UInt16(Int(second) / 2 % 10)
                gateway.receive(bag, at: second)
            }
            gateway.advance(to: second)
            gateway.forgetOutputs()
            carryOut(&gateway.pipeline, on: archive, mayPublish: false, at: second)
            mostInMemory = max(mostInMemory, gateway.pipeline.log.inMemory)
        }
        let growth = Vitals.residentBytes - before
        gateway.pipeline.events.finish()
        carryOut(&gateway.pipeline, on: archive, mayPublish: false, at: hours * 3600 + 30)
        happened = gateway.pipeline.log.upcoming - 1
        carryOut(&gateway.pipeline, on: archive, mayPublish: true, at: hours * 3600 + 30)
        lost = gateway.pipeline.log.lost
        forgotten = ask(gateway.pipeline.log, of: archive)
        print(
            "outage: \(hours) h, \(happened) events, \(delivered.count) delivered, \(lost) forgotten, memory + \(growth >> 10) kB"
        )
    }

    /// Writes events to the disk, and has the broker acknowledge those that may be published.
    private mutating func carryOut(
        _ pipeline: inout GatewayPipeline, on archive: EventArchive, mayPublish: Bool, at second: Double
    ) {
        let now = TestGateway.moment(second).instant
        while let step = pipeline.events.next(writtenAt: pipeline.writtenAt, mayPublish: mayPublish, at: now) {
            switch step {
            case .write(let step): pipeline.events.wrote(archive.perform(step), at: now)
            case .read(let span): pipeline.events.supply(archive.read(span, by: pipeline.log.catalogue), for: span)
            case .publish(let entry):
                delivered.append(entry.seq)
                _ = pipeline.events.published(as: entry.seq)
                pipeline.events.acknowledged(entry.seq)
            }
        }
    }

    private func ask(_ log: EventLog, of archive: EventArchive) -> [SeqRange] {
        let finding = log.find(1...happened, of: log.boot, most: .max)
        let found = finding.seqs.flatMap { archive.read(EventSpan(boot: log.boot, seqs: $0), by: log.catalogue) ?? [] }
        return finding.forgotten(without: found).map { SeqRange(from: $0.lowerBound, to: $0.upperBound) }
    }

    private static func delete(_ folder: String) {
        let events = StateFolder(path: folder + "/events")
        for name in (try? events.entries()) ?? [] { unlink(events.file(name)) }
        rmdir(events.path)
        rmdir(folder)
    }
}
