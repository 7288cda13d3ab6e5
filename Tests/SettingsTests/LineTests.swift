import Settings
import Testing

/// The line of a key in different contexts. Each text has one number beyond its range, in the key `x`.
struct LineTests {
    private func read(_ table: SettingsTable, depth: Int = 0) {
        _ = table.integer("x", in: 0...9)
        guard depth < 3 else { return }
        for key in ["a", "b", "é\n"] where table.has(key) { read(table.table(key), depth: depth + 1) }
        for table in table.tables("many") { read(table, depth: depth + 1) }
    }

    @Test(arguments: [
        ("# x = 1\n\nx = 10", "3: x"),
        ("x.y = 1", "1: x"),
        ("a.x = 10", "1: a.x"),
        ("a . \"x\" = 10", "1: a.x"),
        ("'a'.b.\"\\u0078\" = 10", "1: a.b.x"),
        ("[a]\nx = 1\n[b]\nx = 10", "4: b.x"),
        ("[a.b]\n\n  x\t=\t10", "3: a.b.x"),
        ("[ a . b ]\nx = 10", "2: a.b.x"),
        ("[a.b]\nx = 1\n[a]\nx = 10", "4: a.x"),
        ("[a]\nx = 1\n[\"a.b\"]\nx = 1\n[\"\\u00e9\\n\"]\nx = 10", "6: é\n.x"),
        ("[a]\nb.x = 10", "2: a.b.x"),
        ("a = {b = {x = 10}}", "1: a.b.x"),
        ("a = { \"}\" = '}', b.x = 10 }", "1: a.b.x"),
        ("[[many]]\nx = 1\n[[many]]\n[[many]]\nx = 10", "5: many.x"),
        ("[[many]]\n[many.a]\nx = 1\n[[many]]\n[many.a]\nx = 10", "6: many.a.x"),
        ("[[many]]\n[[many.many]]\nx = 1\n[[many.many]]\nx = 10", "5: many.many.x"),
        ("many = [\n  {x = 1},\n  # {x = 10}\n  {x = 10},\n]", "4: many.x"),
        ("s = \"x = 10\"\nx = 10", "2: x"),
        ("s = '''\nx = 10\n[a]\n'''\nx = 10", "5: x"),
        ("s = \"\"\"\n\\\"\"\"\nx = 10\"\"\"\nx = 10", "4: x"),
        ("s = \"\"\"a\"\"\"\"\"\nx = 10", "2: x"),
        ("s = \"a\\\\\"\nx = 10", "2: x"),
        ("s = '\\'\nx = 10", "2: x"),
        ("s = \"# no comment\" # a comment \"\nx = 10", "2: x"),
        ("s = [\n  \"]\", # ]\n  [1, 2],\n  ']'\n]\nx = 10", "6: x"),
        ("s = 1979-05-27 07:32:00Z # x\nx = 10", "2: x"),
        ("\r\n\r\nx = 10\r\n", "3: x"),
        ("\u{FEFF}x = 10", "1: x"),
    ])
    func `the line of a key is found`(text: String, reported: String) {
        let found = problems(in: text, { read($0) }).filter { $0.contains("x is ") && !$0.contains("known") }
        #expect(found.map { $0.dropFirst("gateway.toml:".count).prefix { $0 != "i" }.dropLast() } == [reported[...]])
    }

    @Test func `a table's line is the line of its header, even after its members`() {
        #expect(
            problem("[a.b]\n\n[a]") { root in
                let table = root.table("a")
                _ = table.table("b")
                table.note("is short: write more")
            } == "3: is short: write more")
    }
}
