import Beacons
import Testing

/// The AD structure of a name: length, type, bytes.
private func structure(_ type: UInt8, _ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count + 1), type] + bytes }

private func name(in data: [UInt8]) -> LocalName? { LocalName(in: data.span.bytes) }

@Suite("The name in an advertisement")
struct LocalNameTests {
    @Test func `a name is found behind other AD structures`() {
        let found = name(in: [0x02, 0x01, 0x06] + structure(0x09, Array("Schlüssel 🔑".utf8)))
        #expect(found?.text == "Schlüssel 🔑" && found?.isComplete == true)
    }

    @Test func `a complete name is preferred to a shortened name in either order`() {
        let short = structure(0x08, Array("Lap".utf8))
        let whole = structure(0x09, Array("Laptop bag".utf8))
        #expect(name(in: short)?.isComplete == false)
        #expect(name(in: short + whole)?.text == "Laptop bag")
        #expect(name(in: whole + short)?.text == "Laptop bag")
    }

    @Test(
        arguments: [
            ([0x1B, 0x5B, 0x32, 0x4A, 0x41], "\u{FFFD}[2JA"),  // ESC [2J, which clears a terminal
            ([0x41, 0x0A, 0x42, 0x0D, 0x7F], "A\u{FFFD}B\u{FFFD}\u{FFFD}"),  // line feed, carriage return, delete
            ([0x41, 0xC2, 0x9B, 0x42], "A\u{FFFD}B"),  // U+009B, ESC [ in one
            ([0x41, 0xE2, 0x80, 0xAE, 0x42], "A\u{FFFD}B"),  // U+202E, which reverses the text
            ([0x41, 0xE2, 0x80, 0xA8, 0x42], "A\u{FFFD}B"),  // U+2028, a line separator
            ([0x41, 0xFF, 0xC3], "A\u{FFFD}\u{FFFD}"),  // invalid UTF-8
            ([0x20, 0x41, 0x20, 0x42, 0x20], "A B"),  // spaces around it
            ([0x41, 0x42, 0x00, 0x00], "AB"),  // padded with NUL
            ([0xE2, 0x80, 0x8D, 0x41], "\u{200D}A"),  // a joiner, which emoji need
        ] as [([UInt8], String)])
    func `hostile bytes in a name are replaced`(bytes: [UInt8], text: String) {
        #expect(name(in: structure(0x09, bytes))?.text.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
    }

    @Test(arguments: [
        [], [0x02, 0x01, 0x06], [0x01, 0x09], [0x03, 0x09, 0x20, 0x20], [0x02, 0x09, 0x00], [0x05, 0x09, 0x41],
    ])
    func `data without a name, with an empty, a blank or a cut name yields no name`(data: [UInt8]) {
        #expect(name(in: data) == nil)
    }

    @Test func `an empty complete name does not hide a shortened name`() {
        #expect(name(in: [0x01, 0x09] + structure(0x08, Array("Lap".utf8)))?.text == "Lap")
    }
}
