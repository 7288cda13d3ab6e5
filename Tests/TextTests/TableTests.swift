import Testing
import Text

@Suite struct TableTests {
    private func table() -> Table {
        var table = Table([.init("ITEM"), .init("ROOM"), .init("CONFIDENCE", .right), .init("SINCE")])
        table.append(["电脑包", "Küche", "0.93", "07:40"])
        table.append(["Laptop bag", "Hall", "1.0", nil])
        table.append(["ключи", "", "", ""])
        return table
    }

    @Test func `columns are aligned in every script, and no line ends in blanks`() {
        #expect(
            table().lines() == [
                "ITEM        ROOM   CONFIDENCE  SINCE",
                "电脑包      Küche        0.93  07:40",
                "Laptop bag  Hall          1.0  -",
                "ключи",
            ])
    }

    @Test func `the widest columns are narrowed for a narrow terminal`() {
        #expect(
            table().lines(width: 32) == [
                "ITEM      ROOM   CONFIDE…  SINCE",
                "电脑包    Küche      0.93  07:40",
                "Laptop …  Hall        1.0  -",
                "ключи",
            ])
    }

    @Test func `no column vanishes, and lines that are still too long are cut at the right`() {
        let lines = table().lines(width: 12)
        #expect(lines[0] == "ITEM  ROOM …")
        #expect(lines[1] == "电…   Küc… …")
    }

    @Test(arguments: 0...60)
    func `no line is wider than the terminal`(width: Int) {
        for line in table().lines(width: width) {
            #expect(displayWidth(of: line) <= width)
            #expect(line.last != " ")
        }
    }

    @Test func `a name with control characters stays in its cell`() {
        var table = Table([.init("NAME"), .init("ROOM")])
        table.append(["a\nb\u{1B}[2J", "Hall"])
        #expect(table.lines() == ["NAME     ROOM", "a\u{FFFD}b\u{FFFD}[2J  Hall"])
    }

    @Test func `a table without rows has only its heading`() {
        #expect(Table([.init("ITEM"), .init("ROOM")]).lines() == ["ITEM  ROOM"])
        #expect(Table([]).lines() == [""])
    }
}
