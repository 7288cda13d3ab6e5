import Linux
import Testing

struct KeyTests {
    @Test func `keys are read from the bytes of several terminals, also in parts`() {
        var reader = KeyReader()
        let typed: [(String, Key)] = [
            ("\u{1B}[A", .up), ("\u{1B}OA", .up), ("\u{1B}[B", .down), ("\u{1B}[5~", .pageUp), ("\u{1B}[6~", .pageDown),
            (" ", .pageDown), ("\u{1B}[H", .home), ("\u{1B}OH", .home), ("\u{1B}[1~", .home), ("\u{1B}[7~", .home),
            ("\u{1B}[F", .end), ("\u{1B}[4~", .end), ("\u{1B}[8~", .end), ("q", .quit), ("Q", .quit),
        ]
        for _ in 0..<2 {
            for (bytes, key) in typed {
                #expect(reader.keys(in: bytes.utf8) == [key])
                #expect(bytes.utf8.flatMap { reader.keys(in: [$0]) } == [key])
            }
            #expect(reader.keys(in: typed.map(\.0).joined().utf8) == typed.map(\.1))
        }
    }

    @Test func `other keys are skipped, and the key after them is read`() {
        var reader = KeyReader()
        for other in ["x", "\r", "\u{1B}[C", "\u{1B}[15~", "\u{1B}[1;5A", "\u{1B}OP", "\u{1B}", "\u{1B}x", "é"] {
            for _ in 0..<2 { #expect(reader.keys(in: other.utf8).isEmpty, "\(other.debugDescription)") }
            #expect(reader.keys(in: "\u{1B}[A".utf8) == [.up], "\(other.debugDescription)")
        }
        // A sequence without end ends nevertheless.
        #expect(reader.keys(in: "\u{1B}[\(String(repeating: "1", count: 100))".utf8).isEmpty)
        #expect(reader.keys(in: "q\u{1B}[A".utf8).last == .up)
    }
}
