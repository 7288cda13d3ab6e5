import Settings
import Testing

/// Invalid TOML is reported by its line, without hiding other mistakes.
struct SyntaxTests {
    private func read(_ root: SettingsTable) {
        for key in ["a", "b", "c"] { _ = root.integer(key, in: 0...9) }
        _ = root.table("t").integer("a", in: 0...9)
        _ = root.path("path")
        _ = root.numbers("many", count: 0...9, in: 0...9)
    }

    private let number = "write a whole number from 0 to 9"

    @Test(arguments: [
        ("a = 1 b = 2", "1: a is 1 b = 2: NUMBER"), ("a = \"x\" y # z", "1: a is \"x\" y: NUMBER"),
        ("a =", "1: a is empty: NUMBER"), ("a = # none", "1: a is empty: NUMBER"), ("a = ]", "1: a is ]: NUMBER"),
        ("a = , 1", "1: a is , 1: NUMBER"), ("a 5", "1: a is 5 without an equals sign: NUMBER"),
        ("a", "1: a is empty: NUMBER"),
        ("\u{FEFF}a = zz", "1: a is zz: NUMBER"),
        ("a = 1979-05-27tx", "1: a is 1979-05-27tx: NUMBER"),
        ("path = /etc/x", "1: path is /etc/x without quotes: write a path in quotes"),
        ("path = \"/etc", "1:8: the text \"/etc is not closed: write \" where it ends"),
        ("path = '/etc\"", "1:8: the text '/etc\" is not closed: write ' where it ends"),
        (
            "path = \"C:\\keys\"",
            "1: path is \"C:\\keys\" (\\k is no escape, a backslash is written as \\\\): write a path in quotes"
        ),
        (
            "path = \"\\uD800\"",
            "1: path is \"\\uD800\" (\\u takes four hexadecimal digits of a character, \\U eight): write a path in quotes"
        ),
        (
            "path = 'a\u{1}'",
            "1: path is 'a?' (a control character is written as \\u0000 to \\u001F): write a path in quotes"
        ),
        ("many = [1, x, 2]", "1: many has x: write an array of 0 to 9 numbers from 0 to 9"),
        ("= 5", "1: this line begins with no key: write key = value"),
        ("é = 5", "1: this line begins with no key: write key = value"),
        ("# \u{7}", "1: this comment has a control character: leave it out"),
        ("[[[1]]]", "1: this is no table's header: write [name], or [[name]] for one of several"),
        ("[t\na = 10", "1: this table's header is not closed: write [t]"),
        ("[t.\"a b\" # c\na = 10", "1: this table's header is not closed: write [t.\"a b\"]"),
        ("[[t\na = 10", "1: this table's header is not closed: write [[t]]"),
        ("[]", "1: this is no table's header: write [name], or [[name]] for one of several"),
        ("[[t]", "1: this table's header is not closed: write [[t]]"),
        ("[t] a = 1", "1: this is no table's header: write [name], or [[name]] for one of several"),
        (
            "many = [1, 2",
            "1:13: an array ends here without its closing bracket: write \"]\", or a comma before the next element"
        ),
        ("many = [[1, 2], [3 4]]", "1: many has an array: write an array of 0 to 9 numbers from 0 to 9"),
        (
            "many = [1,,2]",
            "1:11: an array ends here without its closing bracket: write \"]\", or a comma before the next element"
        ),
        (
            "t = { a = 1",
            "1:12: a table in braces ends here without its closing brace: write { key = value, key = value } on one line"
        ),
    ])
    func `a syntax mistake is reported at its line and does not hide later ones`(text: String, reported: String) {
        let reported = reported.replacing("NUMBER", with: number)
        #expect(problem(text, read) == reported)
        // The next line is in the same table or in another.
        let lines = text.split(separator: "\n").count
        let isHeader = text.hasPrefix("[")
        let next = isHeader ? "[t]\na = 10" : "b = 10"
        #expect(
            problem(text + "\n" + next, read).split(separator: "\n").last
                == (isHeader ? "\(lines + 2): t.a is 10: \(number)" : "\(lines + 1): b is 10: \(number)"))
    }

    @Test(arguments: [
        ("a = 1\n\na = 2", "3: a stands twice, first in line 1: remove one of the two"),
        ("a = 1\n\"a\".b = 2", "2: a stands twice, first in line 1: remove one of the two"),
        ("[t]\na = 1\n[t]\na = 10", "3: [t] stands twice, first in line 1: write its keys under one header"),
        ("[t]\na = 1\n[[t]]\na = 10", "3: [t] stands twice, first in line 1: write its keys under one header"),
        ("t.a = 1\n[t]\na = 10", "2: [t] stands twice, first in line 1: write its keys under one header"),
        ("a = 1\n[a.b]", "2: [a] stands twice, first in line 1: write its keys under one header"),
        ("t = {a = 1, a = 2}", "1: a stands twice in one table: remove one of the two"),
    ])
    func `a repeated key or table is reported with its first line`(text: String, reported: String) {
        #expect(problem(text, read) == reported)
    }

    @Test func `an unclosed text in three quotes is the only problem`() {
        #expect(
            problem("a = 10\npath = \"\"\"x\nb = 10", read)
                == "2:8: a text in three quotes begins here and is not closed: write three quotes where it ends")
    }

    @Test func `reading continues behind an unclosed bracket only at a statement`() {
        let reported = "an array ends here without its closing bracket: write \"]\", or a comma before the next element"
        #expect(problem("many = [1,\n  2\n\n[t]\na = 10", read) == "4:1: \(reported)\n5: t.a is 10: \(number)")
        #expect(problem("many = [[1, 2] [3\n, 4], [5, 6]]\nb = 10", read) == "1:16: \(reported)")
    }

    // The texts are built in the test, because the log prints each argument.
    @Test(arguments: [
        ("a = ", "[", "", "1:69: tables are nested too deeply: write at most 64 levels"),
        ("a = ", "{a=", "", "1:197: tables are nested too deeply: write at most 64 levels"),
        ("", "a.", "a = 1", "1: this line begins with no key: write key = value"),
        ("[", "a.", "a]", "1: this is no table's header: write [name], or [[name]] for one of several"),
    ])
    func `too deeply nested tables are refused`(start: String, repeated: String, end: String, reported: String) {
        #expect(problem(start + String(repeating: repeated, count: 100_000) + end, read) == reported)
    }

    @Test func `mistakes beyond the limit are counted`() {
        let found = problems(in: (0..<500).map { "k\($0) = zz" }.joined(separator: "\n"), read)
        #expect(found.count == 101 && found.last == "gateway.toml:500: 400 more problems: correct these first")
    }

    @Test func `invalid UTF-8 is reported with its line`() {
        let bytes = Array("a = 1\nb = \"".utf8) + [0xC3, 0x28] + Array("\"\n".utf8)
        let found = readSettings(bytes, file: "x.toml") { read($0) }.problems.map(\.description)
        #expect(found == ["x.toml:2: the file is not UTF-8 text: save it as UTF-8"])
    }
}
