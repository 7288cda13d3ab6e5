import Beacons
import Glibc
import Testing

/// Python's tomllib reads the same generated documents equally: some valid, some damaged, all from one seed.
struct TomllibTests {
    // Standard input has "length, line feed, bytes" per document. The output has one line per document: its meaning,
    // or nothing if it is invalid.
    private let script = """
        import datetime, sys, tomllib
        def escaped(s): return ''.join(f'<{ord(c):x}>' if not ' ' <= c <= '~' or c in '"\\\\' else c for c in s)
        def canonical(v):
            if isinstance(v, bool): return 'B' + str(v).lower()
            if isinstance(v, str): return 'S' + escaped(v)
            if isinstance(v, int):
                if not -2**63 <= v < 2**63: raise tomllib.TOMLDecodeError('range')
                return f'I{v}'
            if isinstance(v, float): return 'F'
            if isinstance(v, datetime.datetime): return 'M' if v.tzinfo else 'D'
            if isinstance(v, (datetime.date, datetime.time)): return 'D'
            if isinstance(v, list): return '[' + ','.join(map(canonical, v)) + ']'
            return '{' + ','.join(sorted(f'{escaped(k)}={canonical(x)}' for k, x in v.items())) + '}'
        while line := sys.stdin.buffer.readline():
            text = sys.stdin.buffer.read(int(line))
            try: print(canonical(tomllib.loads(text.decode())))
            except tomllib.TOMLDecodeError: print()
        """

    @Test(
        .enabled(
            if: system("python3 -c 'import tomllib' 2>/dev/null") == 0,
            "skipped: there is no python3 of version 3.11 or later to compare with"))
    func `three thousand documents have the meaning that Python reads`() throws {
        var generator = DocumentGenerator(seed: 1)
        let documents = (0..<3000).map { _ in generator.document() }
        let theirs = try meanings(of: documents)
        try #require(theirs.count == documents.count)
        #expect(theirs.count { !$0.isEmpty } > 700)
        for (document, theirs) in zip(documents, theirs) {
            // Python writes numbers with a fraction differently.
            let ours = canonical(document)?.replacing(/F[-0-9.e+infa]+/, with: "F") ?? ""
            #expect(ours == theirs, "\(document.debugDescription)")
        }
    }

    private func meanings(of documents: [String]) throws -> [String] {
        let base = "/tmp/forgetmenot-toml-\(getpid())"
        defer { for suffix in [".py", ".in", ".out"] { unlink(base + suffix) } }
        try write(script, to: base + ".py")
        try write(documents.map { "\($0.utf8.count)\n\($0)" }.joined(), to: base + ".in")
        try #require(system("python3 \(base).py <\(base).in >\(base).out") == 0)
        return try lines(of: base + ".out")
    }

    private func write(_ text: String, to path: String) throws {
        let file = try #require(fopen(path, "w"))
        defer { fclose(file) }
        try #require(Array(text.utf8).withUnsafeBytes { fwrite($0.baseAddress!, 1, $0.count, file) } == text.utf8.count)
    }

    private func lines(of path: String) throws -> [String] {
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var lines: [String] = []
        var line: UnsafeMutablePointer<CChar>?
        var size = 0
        defer { free(line) }
        while getline(&line, &size, file) > 0 { lines.append(String(String(cString: line!).dropLast())) }
        return lines
    }
}

/// Makes small documents of TOML's elements, some of them damaged.
private struct DocumentGenerator {
    private var random: SplitMix64
    private let pieces = [
        "0", "1", "9", "-", "+", "_", ".", "e", "x", "o", "b", "inf", "nan", "true", "false", "T", "Z", ":", " ",
        "2026", "-21", "07:00", "07:00:00", "0x",
        "\"", "'", "\\", "\\u", "\\n", "00e9", "1979-05-27", "T07:32:00", "+01:30", "é", "\t", "\u{7F}", "\u{1}",
        "9223372036854775807", "\"x\"", "\"\"\"",
        "'''", "\n", "\r\n", "#", "[]", "{}", "1_000", "1.5", "\\\n", "\r", "[", "]", "{", "}", ",", "=",
    ]
    private let values = [
        "1", "-5", "1.5", "\"x\"", "'y'", "true", "1979-05-27", "[]", "{}", "0x1F", "1e3", "\"\"\"a\nb\"\"\"",
        "07:00:00",
    ]
    private let keys = [
        "a", "b", "c", "a.b", "a.c", "a.b.c", "b.a", "\"a\"", "'b'", "\"\"", "a . b", "\"\\u00e9\"", "1", "-", "1.2",
        "\"a.b\"",
    ]

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func document() -> String {
        var text = ""
        for _ in 0...number(below: 5) { text += statement() }
        if number(below: 5) == 0 {
            let index = text.unicodeScalars.index(text.startIndex, offsetBy: number(below: text.unicodeScalars.count))
            text.unicodeScalars.remove(at: index)
        }
        return text
    }

    private mutating func statement() -> String {
        switch number(below: 6) {
        case 0: "[\(one(of: keys))]\n"
        case 1: "[[\(one(of: keys))]]\n"
        default: "\(one(of: keys)) = \(value(depth: 0))\(one(of: ["", "# c"]))\(one(of: ["\n", "\r\n"]))"
        }
    }

    private mutating func value(depth: Int) -> String {
        switch number(below: depth < 3 ? 12 : 10) {
        case 0: return one(of: pieces) + one(of: pieces)
        case 10:
            let elements = (0..<number(below: 4)).map { _ in value(depth: depth + 1) }
            return "[" + elements.joined(separator: one(of: [", ", ",\n", ",#c\n"])) + one(of: ["", ",", "\n"]) + "]"
        case 11:
            let members = (0..<number(below: 4)).map { _ in "\(one(of: keys)) = \(value(depth: depth + 1))" }
            return "{" + members.joined(separator: ", ") + "}"
        default: return one(of: values)
        }
    }

    private mutating func one(of choices: [String]) -> String { choices[number(below: choices.count)] }

    private mutating func number(below bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
}
