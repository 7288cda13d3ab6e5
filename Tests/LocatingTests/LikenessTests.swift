import Testing

@testable import Locating

/// What a survey is worth.
@Suite struct LikenessTests {
    private func surveys(_ row: inout Row, rooms: [Int]) -> [Survey] {
        let stays = rooms.map { (room: $0, seconds: 60) }
        return row.recording(stays).surveys(site: row.site, truth: row.truth(stays))
    }

    @Test func `surveyed rooms with different fingerprints are not listed as alike`() {
        var row = Row(rooms: 3)
        let site = row.site
        #expect(Likeness.judge(surveys(&row, rooms: [0, 1, 2]), site: site).isEmpty)
        #expect(Likeness.judge([], site: site).isEmpty)
    }

    @Test func `two surveyed rooms with similar fingerprints are listed as alike, both ways`() throws {
        var row = Row(rooms: 3)
        var site = row.site
        // Neither room has a gateway of its own, so the names cannot distinguish them.
        for gateway in 1...2 { site.gateways[gateway].room = nil }
        site.rooms = [Site.Room(name: "room 1"), Site.Room(name: "shed")]
        var made = surveys(&row, rooms: [0, 1])
        let again = try #require(made.first { $0.room == "room 1" })
        made.append(Survey(room: "shed", history: again.history))
        let alike = Likeness.judge(made, site: site)
        #expect(Set(alike.map { [$0.room, $0.other] }) == [["room 1", "shed"], ["shed", "room 1"]])
        for likeness in alike { #expect((0.3...0.7).contains(likeness.share)) }
    }

    @Test func `a surveyed room with the fingerprint of another room's gateway is listed as alike`() throws {
        var row = Row(rooms: 3)
        var made = surveys(&row, rooms: [0, 1])
        let wrong = try #require(made.first { $0.room == "room 1" })
        made.append(Survey(room: "room 2", history: wrong.history))
        let worst = try #require(Likeness.judge(made, site: row.site).first)
        #expect(worst.room == "room 2" && worst.other == "room 1" && worst.share > 0.5)
    }
}
