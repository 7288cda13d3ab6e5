import Testing
import Text

@Suite struct TableTests {
    private func table() -> Table {
        var table = Table(["ITEM", "ROOM", .right("CONFIDENCE"), "SINCE"])
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
        var table = Table(["GATEWAY", "ROOM", "STATE", "PROBLEMS"])
        table.append(["kitchen", "Kitchen", "online", "the adapter is switched off"])
        #expect(
            table.lines(width: 40) == [
                "GATEWAY  ROOM     STATE   PROBLEMS", "kitchen  Kitchen  online  the adapter i…",
            ])
    }

    @Test func `the last columns are dropped before a heading or a name in the first column is cut`() {
        #expect(
            table().lines(width: 32) == [
                "ITEM        ROOM   CONFIDENCE", "电脑包      Küche        0.93", "Laptop bag  Hall          1.0", "ключи",
            ])
        #expect(table().lines(width: 17) == ["ITEM        ROOM", "电脑包      Küche", "Laptop bag  Hall", "ключи"])
        #expect(table().lines(width: 12) == ["ITEM", "电脑包", "Laptop bag", "ключи"])
        #expect(table().lines(width: 8) == ["ITEM", "电脑包", "Laptop …", "ключи"])
    }

    @Test func `columns without any value are dropped first`() {
        var table = Table(["ITEM", "NEAR", .right("DISTANCE"), .right("SEEN")])
        for (name, distance) in [("Bag", nil), ("Keys", "")] as [(String, String?)] {
            table.append([name, "hall", distance, "now"])
        }
        #expect(table.lines(width: 16) == ["ITEM  NEAR  SEEN", "Bag   hall   now", "Keys  hall   now"])
        #expect(table.lines(width: 15) == ["ITEM  NEAR", "Bag   hall", "Keys  hall"])
    }

    @Test func `a very long name is cut before columns are dropped`() {
        var table = Table(["ITEM", "ROOM"])
        table.append([String(repeating: "a", count: 60), "Hall"])
        #expect(table.lines(width: 26) == ["ITEM                  ROOM", "aaaaaaaaaaaaaaaaaaa…  Hall"])
    }

    @Test(arguments: 0...60)
    func `no line is wider than the terminal`(width: Int) {
        for line in table().lines(width: width) {
            #expect(displayWidth(of: line) <= width)
            #expect(line.last != " ")
        }
    }

    @Test func `a name with control characters stays in its cell`() {
        var table = Table(["NAME", "ROOM"])
        table.append(["a\nb\u{1B}[2J", "Hall"])
        #expect(table.lines() == ["NAME     ROOM", "a\u{FFFD}b\u{FFFD}[2J  Hall"])
    }

    @Test func `a table without rows has only its heading`() {
        #expect(Table(["ITEM", "ROOM"]).lines() == ["ITEM  ROOM"])
        #expect(Table([]).lines() == [""])
    }
}
