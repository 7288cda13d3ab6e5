import Beacons
import Testing

/// Whatever a file holds, it is read or refused.
struct MutationTests {
    private let pieces = [
        "\"", "'", "\"\"\"", "'''", "[", "]", "[[", "]]", "{", "}", "=", ".", ",", "#", "\n", "\r\n", "\\", "\\u0000",
        "\\uD800", "\u{0}",
        "99999999999999999999", "-9223372036854775808", "1e999", "nan", "-inf", "0x", "2026-13-45T99:99:99Z",
        "07:00:00", "é", "\u{FEFF}",
        "[region]", "[[mqtt]]", "[radio.radio]", "a.b.c = 1", "id = []", "port = [[1]]", " ", "\t", "uuid = 1", "true",
        "", "\u{202E}",
    ]

    @Test(arguments: Reference.allCases)
    func `five hundred damaged references are read, or refused with problems of one line`(reference: Reference)
        throws
    {
        let lines = try reference.uncommented().split(separator: "\n").filter { !$0.hasPrefix("# ") }
        let original = Array(lines.joined(separator: "\n").utf8)
        var random = SplitMix64(seed: 0x2021)
        for round in 0..<500 {
            var text = original
            for _ in 0..<Int.random(in: 1...8, using: &random) { mutate(&text, using: &random) }
            let reading = reference.read(text)
            let isOneLine = reading.problems.allSatisfy {
                !$0.text.isEmpty && !$0.description.utf8.contains { $0 < 0x20 } && $0.line ?? 1 > 0
            }
            let isDecided = (reading.configuration == nil) == !reading.problems.isEmpty
            #expect(isOneLine && isDecided, "round \(round): \(reading.problems)")
        }
    }

    private func mutate(_ text: inout [UInt8], using random: inout SplitMix64) {
        let start = Int.random(in: 0...text.count, using: &random)
        let end = min(text.count, start + Int.random(in: 0...12, using: &random))
        switch Int.random(in: 0..<5, using: &random) {
        case 0: text.removeSubrange(start..<end)
        case 1: text.insert(contentsOf: pieces.randomElement(using: &random)!.utf8, at: start)
        case 2: text.replaceSubrange(start..<end, with: pieces.randomElement(using: &random)!.utf8)
        case 3: text.insert(contentsOf: text[start..<end], at: Int.random(in: 0...text.count, using: &random))
        default: if start < text.count { text[start] = UInt8.random(in: 0...255, using: &random) }
        }
    }
}
