import Testing

@testable import Locating

@Suite struct ReplayTests {
    private let site = Site(gateways: [
        Site.Gateway(id: "kitchen", room: "Kitchen"), Site.Gateway(id: "hall", room: "Hall"),
    ])

    private func replayed(_ csv: String) throws -> [String] {
        var lines: [String] = []
        Replay(model: LocatorModel(site: site)).run(try Recording(csv: csv)) { lines.append($0.csv) }
        return lines
    }

    @Test func `every beacon has a row at every full second from the first row to the last`() throws {
        let lines = try replayed("t_ms,gateway,beacon,rssi\n500,kitchen,a,-50\n2500,hall,b,-50\n3000,hall,a,-80\n")
        #expect(
            lines.map { $0.split(separator: ",").prefix(3).joined(separator: ",") } == [
                "1000,a,home", "1000,b,unknown", "2000,a,home", "2000,b,unknown", "3000,a,home", "3000,b,home",
            ])
    }

    @Test func `a replay reports a room only of items at home`() throws {
        let lines = try replayed("0,kitchen,a,-50\n100,hall,a,-75\n60000,hall,b,-50\n")
        #expect(lines.first?.hasPrefix("0,a,home,Kitchen,") == true)
        #expect(lines.contains("0,b,unknown,,0.000"))
        #expect(lines.contains("60000,a,away,,0.000"))
    }

    @Test func `a bad row is refused with its line`() {
        #expect(throws: MalformedRow(line: 2, reason: "it has 1 of the 4 fields t_ms,gateway,beacon,rssi")) {
            try Recording(csv: "0,kitchen,a,-50\r\nrubbish\r\n")
        }
    }
}
