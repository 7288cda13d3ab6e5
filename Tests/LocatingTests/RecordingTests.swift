import Glibc
import Testing

@testable import Locating

/// Floors under what the belief reaches on real recordings, a few points below what was measured: they notice a step back.
@Suite struct RecordingTests {
    private static let folder: String? = {
        let repository = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(
            separator: "/")
        let folders = [getenv("FORGETMENOT_DATA").map { String(cString: $0) }, repository + "/../shared/data"]
        return folders.compactMap { $0 }.first { access("\($0)/flat/flat_gateways.csv", R_OK) == 0 }
    }()
    private static let skipped: Comment =
        "skipped: the recordings are not beside the repository, nor where FORGETMENOT_DATA points"

    private func text(_ path: String) throws -> String {
        let file = try #require(fopen("\(Self.folder!)/\(path)", "r"))
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = Array(repeating: UInt8(0), count: 1 << 16)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func site(_ path: String) throws -> Site {
        Site(
            gateways: try text(path).split(separator: "\n").dropFirst().map { line in
                let fields = line.split(separator: ",").map(String.init)
                return Site.Gateway(id: fields[0], room: fields[1])
            })
    }

    /// The share of seconds with the correct room, and the number of reported changes of room.
    private func score(_ model: LocatorModel, _ recording: Recording, _ truth: Truth) -> (right: Double, reported: Int)
    {
        var rows: [Replay.Row] = []
        Replay(model: model).run(recording) { rows.append($0) }
        var next = 0
        var right = 0
        for row in rows {
            while next + 1 < truth.rows.count, truth.rows[next + 1].milliseconds <= row.milliseconds { next += 1 }
            right += row.room == truth.rows[next].room ? 1 : 0
        }
        let reported = zip(rows, rows.dropFirst()).count { $0.room != nil && $1.room != nil && $0.room != $1.room }
        return (Double(right) / Double(rows.count), reported)
    }

    private func walk(_ name: String) throws -> (recording: Recording, truth: Truth) {
        (try Recording(csv: text("\(name)_events.csv")), try Truth(csv: text("\(name)_truth.csv")))
    }

    @Test(.enabled(if: Self.folder != nil, Self.skipped))
    func `in and out of a hall without one false change`() throws {
        let (recording, truth) = try walk("sal/sal_walk_sensor_1_measurement_1")
        let score = score(LocatorModel(site: try site("sal/sal_gateways.csv")), recording, truth)
        #expect(score.right >= 0.97)
        #expect(score.reported == 4)
    }

    @Test(.enabled(if: Self.folder != nil, Self.skipped), arguments: [(1, 0.82), (2, 0.69), (3, 0.86), (4, 0.83)])
    func `a flat by the names of its gateways`(walk number: Int, floor: Double) throws {
        let (recording, truth) = try walk("flat/flat_calib\(number)")
        #expect(score(LocatorModel(site: try site("flat/flat_gateways.csv")), recording, truth).right >= floor)
    }

    @Test(.enabled(if: Self.folder != nil, Self.skipped))
    func `a flat that was lived in and surveyed, on a walk that taught nothing`() throws {
        let site = try site("flat/flat_gateways.csv")
        let walks = try [2, 4].map { try walk("flat/flat_calib\($0)") }
        let (recording, truth) = try walk("flat/flat_calib3")
        let lived = walks.flatMap { $0.recording.histories(site: site) }
        let surveys = walks.flatMap { $0.recording.surveys(site: site, truth: $0.truth) }
        let cold = score(LocatorModel(site: site), recording, truth).right
        for learned in [Learned.learn(site: site, from: lived), Learned.learn(site: site, from: [], surveys: surveys)] {
            let learned = try #require(learned)
            #expect(score(LocatorModel(site: site, learned: learned), recording, truth).right >= cold - 0.01)
        }
    }
}
