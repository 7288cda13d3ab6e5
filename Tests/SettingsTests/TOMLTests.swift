import Testing

@testable import Settings

/// TOML 1.0 according to its specification: the meaning of documents, and invalid documents.
struct TOMLTests {
    @Test(arguments: [
        // Texts.
        (#"a = "\b\t\n\f\r\"\\\u00e9\U0001F600""#, #"{a=S<8><9><a><c><d><22><5c><e9><1f600>}"#),
        (#"a = 'C:\x'"#, "{a=SC:<5c>x}"), ("a = ''", "{a=S}"), ("a = \"\"\"\nx\r\ny\"\"\"", "{a=Sx<a>y}"),
        ("a = \"\"\"x \\  \n\n  y\"\"\"", "{a=Sx y}"), ("a = '''x\\\n'''", "{a=Sx<5c><a>}"),
        ("a = \"\"\"\"\"x\"\"\"\"\"", "{a=S<22><22>x<22><22>}"),
        // Numbers.
        ("a = +1_000", "{a=I1000}"), ("a = -0", "{a=I0}"), ("a = 0xdead_BEEF", "{a=I3735928559}"),
        ("a = 0o755", "{a=I493}"),
        ("a = 0b11", "{a=I3}"), ("a = -9223372036854775808", "{a=I-9223372036854775808}"),
        ("a = -1.5e-1_0", "{a=F-1.5e-10}"),
        ("a = 1e6", "{a=F1000000.0}"), ("a = -inf", "{a=F-inf}"), ("a = +nan", "{a=Fnan}"), ("a = -0.0", "{a=F-0.0}"),
        // Dates.
        ("a = 1979-05-27T07:32:00.5Z", "{a=M}"), ("a = 1979-05-27 00:32:00-07:00", "{a=M}"),
        ("a = 1979-05-27T07:32:00", "{a=D}"),
        ("a = 2000-02-29", "{a=D}"), ("a = 07:32:00.999999", "{a=D}"),
        // Arrays, tables.
        ("a = [ [1, 'x'], # c\n [ ], ]", "{a=[[I1,Sx],[]]}"), ("a = { b.c = 1, 'd' = {} }", "{a={b={c=I1},d={}}}"),
        ("[a.b]\n[a]\nc = 1", "{a={b={},c=I1}}"), ("[[a]]\n[a.b]\nx = 1\n[[a]]\n[[a.c]]", "{a=[{b={x=I1}},{c=[{}]}]}"),
        ("[f]\na.c = 1\na.t.s = 2\n[f.a.x]", "{f={a={c=I1,t={s=I2},x={}}}}"), ("3.14 = 1\n\"\" = 2", "{3={14=I1},=I2}"),
    ])
    func `a document has one meaning`(text: String, meaning: String) {
        #expect(canonical(text) == meaning)
    }

    @Test(arguments: [
        "a = 01", "a = 1_", "a = _1", "a = 1__0", "a = 0x", "a = 0xg", "a = -0x1", "a = 0X1", "a = 1.", "a = .5",
        "a = 1.e5", "a = 1e", "a = 1._5",
        "a = 1e1.5", "a = Inf", "a = True", "a = 1979-02-29", "a = 1979-5-27", "a = 24:00:00", "a = 07:32",
        "a = 1979-05-27T", "a = 1979-05-27T07:32:00+1:00",
        "a = 9223372036854775808", "a = 1e999", "a = \"\\x41\"", "a = \"\\u12\"", "a = \"x\ny\"",
        "a = \"\"\"x\"\"\"\"\"\"", "a = '''x", "a = [1 2]", "a = [,]", "a = [1,,]",
        "a = {b = 1,}", "a = {b = 1\n}", "a = {b = 1, b.c = 2}", "a = {}\na.b = 1", "a = []\n[[a]]",
        "[a]\nb.c = 1\n[a.b]", "[a.b.c]\n[a]\nb.c.d = 1",
        "[[a]]\n[a]", "[a]\n[[a]]", "a.b = 1\n[a]", "\"\"\"a\"\"\" = 1", "a b = 1", "a. = 1", ".a = 1", "[ ]",
        "[[ a ] ]", "a = 1\u{B}", "# \u{0}", "a = 1\rb = 2",
    ])
    func `a document that the specification forbids is refused`(text: String) {
        #expect(canonical(text) == nil)
    }
}

/// The meaning of a document in one line; `nil` if it is invalid.
func canonical(_ text: String) -> String? {
    var parser = TOMLParser(Array(text.utf8), file: "")
    guard let root = parser.parse(), parser.problems.isEmpty else { return nil }
    return canonical(root.value)
}

private func canonical(_ value: SettingsValue) -> String? {
    switch value {
    case .text(let text): return "S" + escaped(text)
    case .integer(let number): return "I\(number)"
    case .real(let number): return "F\(number)"
    case .boolean(let isTrue): return "B\(isTrue)"
    case .date: return "D"
    case .moment: return "M"
    case .array(let nodes):
        let elements = nodes.compactMap { canonical($0.value) }
        return elements.count == nodes.count ? "[" + elements.joined(separator: ",") + "]" : nil
    case .table(let nodes):
        let members = nodes.compactMap { key, node in canonical(node.value).map { "\(escaped(key))=\($0)" } }
        return members.count == nodes.count ? "{" + members.sorted().joined(separator: ",") + "}" : nil
    case .unreadable, .reported: return nil
    }
}

private func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
        let isPlain = (0x20...0x7E).contains(scalar.value) && scalar != "\"" && scalar != "\\"
        return isPlain ? String(scalar) : "<\(String(scalar.value, radix: 16))>"
    }.joined()
}
