import Beacons
import Messages
import Testing

private func written(_ body: (inout JSONWriter) -> Void) -> String {
    var json = JSONWriter()
    body(&json)
    return String(decoding: json.bytes, as: UTF8.self)
}

@Suite struct JSONWriterTests {
    @Test func `members and elements are written in order and with commas`() {
        let text = written { json in
            json.object { json in
                json.field("a", 1)
                json.field("b", ["x", "y:{["])
                json.object("c") { _ in }
                json.array("d") { json in
                    json.element(1)
                    json.object { json in json.field("e", true) }
                    json.array { _ in }
                    json.element("z")
                }
                json.key(named: "Küche \"1\"")
                json.element(0.5, decimals: 2)
                json.field("f", false)
            }
        }
        #expect(
            text == #"{"a":1,"b":["x","y:{["],"c":{},"d":[1,{"e":true},[],"z"],"Küche \"1\"":0.5,"f":false}"#)
    }

    @Test func `an unknown value is omitted`() {
        let text = written { json in
            json.object { json in
                json.field("text", nil as String?)
                json.field("count", nil as Int?)
                json.field("amount", nil, decimals: 1)
                json.field("nan", .nan, decimals: 1)
                json.field("infinite", -.infinity, decimals: 2)
                json.field("time", nil as WallTime?)
                json.field("truth", nil as Bool?)
                json.field("texts", nil as [String]?)
                json.field("value", nil as JSONValue?)
            }
        }
        #expect(text == "{}")
    }

    @Test(
        arguments: [
            (-88.0, 1, "-88.0"), (-67.2, 1, "-67.2"), (-67.25, 1, "-67.3"), (211.5, 1, "211.5"), (3541.2, 1, "3541.2"),
            (1.84, 2, "1.84"), (0.93, 2, "0.93"), (0.05, 2, "0.05"), (0.9, 2, "0.9"), (1.0, 2, "1.0"),
            (2.004, 2, "2.0"),
            (0.999, 2, "1.0"), (12.3456, 3, "12.346"), (-0.001, 2, "0.0"), (-0.0, 1, "0.0"), (-0.5, 1, "-0.5"),
            (1e-300, 2, "0.0"), (1e15, 1, "1000000000000000.0"), (1e300, 3, "1000000000000000.0"),
            (-1e300, 1, "-1000000000000000.0"), (.nan, 1, "null"), (.infinity, 1, "null"),
            (.greatestFiniteMagnitude, 1, "1000000000000000.0"),
        ] as [(Double, Int, String)])
    func `a number is short and has no exponent`(number: Double, decimals: Int, text: String) {
        #expect(written { $0.element(number, decimals: decimals) } == text)
    }

    @Test func `the smallest and the largest whole numbers are written exactly`() {
        #expect(written { $0.element(Int64.min) } == "-9223372036854775808")
        #expect(written { $0.element(Int64.max) } == "9223372036854775807")
        #expect(written { $0.element(UInt64.max) } == "9223372036854775807")
        #expect(written { $0.element(0) } == "0")
        #expect(written { $0.element(Int8(-59)) } == "-59")
        #expect(written { $0.element(1_000_000) } == "1000000")
    }

    @Test func `only characters that JSON requires to be escaped are escaped`() throws {
        let every = String(String.UnicodeScalarView((0..<0x80).map { Unicode.Scalar(UInt8($0)) })) + "é电🎒\u{2028}"
        let text = written { $0.element(every) }
        for byte in UInt8(0)..<0x20 {
            #expect(written { $0.element(String(Unicode.Scalar(byte))) }.hasPrefix(#""\"#))
        }
        #expect(
            text.hasPrefix(
                #""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\u0008\t\n\u000b\u000c\r\u000e\u000f\u0010"#))
        #expect(text.contains(##" !\"#$%&'()*+,-./0123456789"##))
        #expect(text.contains(#"[\\]"#))
        #expect(text.hasSuffix("~\u{7F}é电🎒\u{2028}\""))
        #expect(try JSONValue(parsing: Array(text.utf8)) == .string(every))
    }

    @Test func `a writer's buffer is reusable`() {
        var json = JSONWriter()
        for round in 1...2 {
            json.removeAll()
            json.object { json in json.field("round", round) }
            #expect(String(decoding: json.bytes, as: UTF8.self) == "{\"round\":\(round)}")
        }
    }
}
