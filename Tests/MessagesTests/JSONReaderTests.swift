import Beacons
import Messages
import Testing

private func read(_ text: String, limits: JSONLimits = .payload) throws(JSONRefusal) -> JSONValue {
    try JSONValue(parsing: Array(text.utf8), limits: limits)
}

@Suite struct JSONReaderTests {
    @Test func `a document becomes a tree, its members in their order`() throws {
        let value = try read(#" {"b" : [1, -2.5, "x", true, false, null, {}, []], "a":{"c":"d"}} "#)
        let object = try #require(value.object)
        #expect(object.members.map(\.key) == ["b", "a"])
        #expect(
            object["b"]
                == .array([
                    .integer(1), .double(-2.5), .string("x"), .bool(true), .bool(false), .null,
                    .object(JSONObject()), .array([]),
                ]))
        #expect(object["a"]?.object?["c"] == .string("d"))
        #expect(object["c"] == nil)
    }

    @Test(arguments: [
        ("0", 0), ("-0", 0), ("7", 7), ("-12", -12),
        ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
        ("9.0", 9), ("9e0", 9), ("1.5e1", 15), ("9007199254740992.0", 9_007_199_254_740_992),
    ])
    func `a whole number is exact`(text: String, integer: Int64) throws {
        #expect(try read(text).integer == integer)
    }

    @Test(arguments: [
        ("0.1", 0.1), ("-67.2", -67.2), ("1.84", 1.84), ("1e3", 1000), ("1E+2", 100), ("25e-1", 2.5),
        ("9223372036854775808", 9_223_372_036_854_775_808), ("1e308", 1e308), ("5e-324", .leastNonzeroMagnitude),
        ("1e-999", 0),
        ("0.1000000000000000055511151231257827", 0.1),
        ("123456789012345678901234567890", 1.2345678901234568e29),
        ("1.7976931348623157e308", .greatestFiniteMagnitude), ("3e-23", 3e-23),
        ("9007199254740993.0", 9_007_199_254_740_992),
        ("0e99999999999999999999", 0),
    ])
    func `a number is the nearest double`(text: String, double: Double) throws {
        #expect(try read(text).double == double)
    }

    @Test func `every double that is written in full is read back exactly`() throws {
        var generator = SplitMix64(seed: 7)
        for _ in 0..<1000 {
            let double = Double(bitPattern: generator.next())
            guard double.isFinite else { continue }
            #expect(try read("\(double)").double == double)
            let short = Double(Int.random(in: -99_999...99_999, using: &generator)) / 100
            #expect(try read("\(short)").double == short)
        }
    }

    @Test(arguments: [
        (#""""#, ""), (#""a\"\\\/\b\f\n\r\t""#, "a\"\\/\u{8}\u{C}\n\r\t"),
        (#""\u0041\u00e9\u20AC""#, "Aé€"), (#""\uD83C\udf92""#, "🎒"), (#""x\u0000y""#, "x\u{0}y"),
        ("\"电脑包 🎒\"", "电脑包 🎒"), ("\"\u{7F}\u{2028}\"", "\u{7F}\u{2028}"),
    ])
    func `text is unescaped`(text: String, expected: String) throws {
        #expect(try read(text) == .string(expected))
    }

    @Test(
        arguments: [
            ("", .truncated), ("  ", .truncated), ("{", .truncated), ("[1", .truncated), ("[1,", .truncated),
            ("\"a", .truncated), ("\"\\", .truncated), ("\"\\u00", .truncated), ("tru", .truncated), ("-", .truncated),
            ("1.", .truncated), ("1e", .truncated), ("1e+", .truncated), (#"{"a""#, .truncated),
            (#"{"a":"#, .truncated),
            ("nul!", .syntax), ("True", .syntax), ("NaN", .syntax), ("Infinity", .syntax), ("+1", .syntax),
            (".5", .syntax),
            ("[1,]", .syntax), ("[,1]", .syntax), ("[1 2]", .syntax), (#"{"a":1,}"#, .syntax), (#"{a:1}"#, .syntax),
            (#"{"a" 1}"#, .syntax), (#"{"a":1 "b":2}"#, .syntax), ("'a'", .syntax), ("// 1", .syntax), ("]", .syntax),
            ("\"\t\"", .syntax), ("\"\\x\"", .syntax), ("\"\\u12G4\"", .syntax), ("[1.]", .syntax), ("[-]", .syntax),
            ("[01]", .syntax), ("\u{FEFF}1", .syntax), ("[1}", .syntax), (#"{"a":1]"#, .syntax),
            ("1 2", .trailing), ("{}x", .trailing), ("01", .trailing), ("\"a\"\u{0}", .trailing),
            ("1e999", .invalidNumber), ("-1e309", .invalidNumber), (String(repeating: "9", count: 101), .invalidNumber),
            ("\"\\uD83C\"", .invalidText), ("\"\\uDF92\"", .invalidText), ("\"\\uD83C\\u0041\"", .invalidText),
            ("\"\\uD83Cx\"", .invalidText),
            (#"{"a":1,"a":1}"#, .duplicateKey), (#"{"a":1,"\u0061":2}"#, .duplicateKey),
            (#"[{"":1,"":2}]"#, .duplicateKey),
        ] as [(String, JSONRefusal)])
    func `a document that is no strict JSON is refused by name`(text: String, refusal: JSONRefusal) {
        #expect(throws: refusal) { try read(text) }
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0xAF],  // a continuation alone; an overlong slash
            [0xED, 0xA0, 0x80],  // a surrogate
            [0xF4, 0x90, 0x80, 0x80],  // beyond U+10FFFF
            [0xC3], [0xFF],  // half a sequence; no byte of UTF-8
        ] as [[UInt8]])
    func `text that is not UTF-8 is refused, as value and as key`(bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        #expect(throws: JSONRefusal.invalidText) { try JSONValue(parsing: [quote] + bytes + [quote]) }
        #expect(throws: JSONRefusal.invalidText) {
            try JSONValue(parsing: Array("{\"".utf8) + bytes + Array("\":1}".utf8))
        }
        // The same next to an escape, which the reader handles on another path.
        #expect(throws: JSONRefusal.invalidText) { try JSONValue(parsing: Array("\"\\n".utf8) + bytes + [quote]) }
        #expect(throws: JSONRefusal.syntax) { try JSONValue(parsing: bytes) }
    }

    @Test func `an object of many keys is checked for duplicate keys`() throws {
        var members = (0..<1000).map { "\"key\($0)\":\($0)" }
        #expect(try read("{\(members.joined(separator: ","))}").object?.members.count == 1000)
        for position in [0, 20, 31, 32, 33, 998] {
            members[999] = "\"key\(position)\":0"
            #expect(throws: JSONRefusal.duplicateKey) { try read("{\(members.joined(separator: ","))}") }
        }
    }

    @Test func `depth, length and number of values are limited`() throws {
        func nested(_ depth: Int, _ open: String, _ close: String) -> String {
            String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
        }
        #expect(throws: Never.self) { try read(nested(16, "[", "]")) }
        #expect(throws: Never.self) { try read(nested(16, #"{"a":"#, "}")) }
        #expect(throws: JSONRefusal.tooDeep) { try read(nested(17, "[", "]")) }
        #expect(throws: JSONRefusal.tooDeep) { try read(nested(17, #"{"a":"#, "}")) }
        #expect(throws: JSONRefusal.tooDeep) { try read(String(repeating: "[", count: 65_536)) }

        let limits = JSONLimits(bytes: 10, depth: 2, elements: 4)
        #expect(throws: Never.self) { try read("[1,2,3]   ", limits: limits) }
        #expect(throws: JSONRefusal.tooLarge) { try read("[1,2,3]    ", limits: limits) }
        #expect(throws: JSONRefusal.tooManyElements) { try read("[1,2,3,4]", limits: limits) }
    }
}
