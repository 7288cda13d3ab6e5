import Beacons
import Testing

@testable import Locating

@Suite struct LearningTests {
    private let stays = [(0, 60), (1, 60), (2, 60), (1, 60), (0, 60)].map { (room: $0.0, seconds: $0.1) }

    /// The gateway of room 1 receives badly, and that of room 0 is at their common wall: by names alone room 1 is taken for room 0.
    private func muffled(_ recording: Recording) -> Recording {
        Recording(
            rows: recording.rows.map { row in
                var row = row
                if row.gateway == "g1" { row.rssi -= 11 }
                if row.gateway == "g0" { row.rssi += 4 }
                return row
            })
    }

    private func accuracy(_ model: LocatorModel, _ recording: Recording, _ truth: Truth) -> Double {
        let rows = replayed(model, recording)
        let right = rows.count { row in row.room == truth.rows.last { $0.milliseconds <= row.milliseconds }?.room }
        return Double(right) / Double(rows.count)
    }

    @Test func `a survey distinguishes rooms that names cannot`() throws {
        var row = Row(rooms: 3)
        let past = muffled(row.recording(stays))
        let truth = row.truth(stays)
        let surveys = past.surveys(site: row.site, truth: truth)
        #expect(Set(surveys.map(\.room)) == ["room 0", "room 1", "room 2"])
        let learned = try #require(Learned.learn(site: row.site, from: [], surveys: surveys))
        let now = muffled(row.recording(stays))
        let cold = accuracy(LocatorModel(site: row.site), now, truth)
        let surveyed = accuracy(LocatorModel(site: row.site, learned: learned), now, truth)
        #expect(cold < 0.8)
        #expect(surveyed > 0.93)
    }

    @Test func `living in a house does not spoil what the names knew`() throws {
        var row = Row(rooms: 3, noise: 6)
        let truth = row.truth(stays)
        let lived = (0..<4).flatMap { _ in row.recording(stays).histories(site: row.site) }
        let learned = try #require(Learned.learn(site: row.site, from: lived))
        let now = row.recording(stays)
        let cold = accuracy(LocatorModel(site: row.site), now, truth)
        #expect(accuracy(LocatorModel(site: row.site, learned: learned), now, truth) >= cold - 0.01)
        #expect(learned.agreement > 0.9)
        #expect(learned.rooms.count == 3)
        #expect((0...1).contains(learned.share))
    }

    @Test func `a plan is corrected where an item was, and hardly elsewhere`() throws {
        let stateSpace = StateSpace(site: Row(rooms: 3).plan)
        let (plan, cells) = try (#require(stateSpace.plan), #require(stateSpace.cells))
        let (here, there) = (0, stateSpace.places.count - 1)
        // Gateway 1 receives 10 dB less than the plan predicts.
        let rssiValues = (0..<3).map { (gateway: $0, rssi: cells.rssi(here, $0) - ($0 == 1 ? 10.0 : 0)) }
        var sums = PlanCorrection.Sums(cells)
        sums.add(
            Observation(received: rssiValues), seconds: 600,
            places: stateSpace.places.indices.map { $0 == here ? 1.0 : 0 },
            plan: cells, corrected: cells)
        let correction = PlanCorrection(sums, stateSpace: stateSpace, plan: plan)
        func muffling(_ place: Int) -> Double {
            correction.correction(place, 1) - correction.correction(place, 0)
        }
        #expect(muffling(here) < -8 && muffling(here) > -10)
        #expect(muffling(there) < 0 && muffling(there) > -3)
        #expect(stateSpace.cells(corrected: correction) != nil)
        #expect(StateSpace(site: Row(rooms: 4).plan).cells(corrected: correction) == nil, "another plan")
    }

    @Test func `the samples of a still item count less in learning, the longer the item is still`() throws {
        var row = Row(rooms: 3, noise: 2)
        func weights(_ stays: [(room: Int, seconds: Int)]) throws -> (seconds: Double, weight: Double) {
            let history = try #require(row.recording(stays).histories(site: row.site).first)
            let samples = TrainingSample.windows(of: history, frame: SiteFrame(row.site)).joined()
            return samples.reduce(into: (0, 0)) {
                $0.seconds += $1.seconds
                $0.weight += $1.weight
            }
        }
        let still = try weights([(0, 1200)])
        #expect(still.seconds > 1190)
        #expect(still.weight < 200 && still.weight > 25)
        let moving = try weights((0..<120).map { ($0 % 3, 10) })
        #expect(moving.weight > 0.9 * moving.seconds)
    }

    @Test func `how one goes from room to room is learned too`() throws {
        var row = Row(rooms: 4)
        let there = [0, 1, 2, 3, 2, 1].map { (room: $0, seconds: 20) }
        let lived = (0..<4).flatMap { _ in row.recording(there + there).histories(site: row.site) }
        let learned = try #require(Learned.learn(site: row.site, from: lived))
        let shares = try #require(learned.transitions).shares(among: (0..<4).map { "room \($0)" })
        #expect(shares[0 * 4 + 1] > 0.6, "from the first room, the second is next")
        #expect(shares[0 * 4 + 3] < 0.2)
        #expect(abs(shares[1 * 4 + 0] - shares[1 * 4 + 2]) < 0.2, "from the second, the first as well as the third")
        #expect(shares.allSatisfy { $0 < 0.95 } && shares[3] > 0, "no way is closed")
    }

    @Test func `too short a past teaches nothing`() {
        var row = Row(rooms: 3)
        let past = row.recording([(0, 20), (1, 20)]).histories(site: row.site)
        #expect(Learned.learn(site: row.site, from: past) == nil)
        #expect(Learned.learn(site: row.site, from: []) == nil)
    }

    @Test func `learning twice from the same past gives the same`() {
        var row = Row(rooms: 3)
        let past = row.recording(stays).histories(site: row.site)
        #expect(Learned.learn(site: row.site, from: past) == Learned.learn(site: row.site, from: past))
    }

    @Test func `the learned model survives a new gateway`() throws {
        var row = Row(rooms: 3)
        let past = row.recording(stays)
        let surveys = past.surveys(site: row.site, truth: row.truth(stays))
        let learned = try #require(Learned.learn(site: row.site, from: [], surveys: surveys))
        var site = row.site
        site.gateways.insert(Site.Gateway(id: "attic", room: "Attic"), at: 0)
        let rows = replayed(LocatorModel(site: site, learned: learned), row.recording(stays))
        #expect(rows[50].room == "room 0")
        #expect(rows[170].room == "room 2")
    }

    @Test func `a room without a gateway is found once it was surveyed`() throws {
        var row = Row(rooms: 3)
        var site = row.site
        site.gateways[1].room = nil
        site.rooms = [Site.Room(name: "room 1")]
        let past = row.recording(stays)
        let truth = row.truth(stays)
        #expect(!replayed(LocatorModel(site: site), past).contains { $0.room == "room 1" })
        let learned = try #require(
            Learned.learn(site: site, from: [], surveys: past.surveys(site: site, truth: truth)))
        #expect(accuracy(LocatorModel(site: site, learned: learned), row.recording(stays), truth) > 0.9)
    }

    @Test func `a history has a limit, and reaches far back`() {
        var row = Row(rooms: 2)
        let model = LocatorModel(site: row.site)
        var locator = Locator(model: model)
        var history = RSSIHistory(gateways: model.gateways)
        for number in 0..<25_000 {
            let now = Instant(milliseconds: Int64(number) * 1000)
            locator.report(gateway: 0, rssi: row.rssi(0, from: 0), at: now)
            history.append(locator, at: now)
        }
        #expect(history.samples.count <= RSSIHistory.limit)
        #expect(history.samples.first?.at == .zero)
        #expect(history.samples.last?.at == Instant(milliseconds: 24_999_000))
    }

    @Test func `what was learned has the new names of rooms`() throws {
        var row = Row(rooms: 3)
        let past = row.recording([(0, 60), (1, 60), (2, 60), (1, 60), (0, 60)]).histories(site: row.site)
        let learned = try #require(Learned.learn(site: row.site, from: past))
        let renamed = learned.renamed(by: ["room 1": "Study"])
        #expect(renamed.rooms == ["room 0", "Study", "room 2"] && renamed != learned)
        #expect(renamed.renamed(by: ["Study": "room 1"]) == learned)
    }
}
