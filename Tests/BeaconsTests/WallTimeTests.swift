import Beacons
import Testing

@Suite("Wall time")
struct WallTimeTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_795_239_612_345, "2026-11-21T05:40:12.345Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        ] as [(Int64, String)])
    func `a wall time is written in RFC 3339 and read back`(milliseconds: Int64, text: String) {
        #expect(WallTime(milliseconds: milliseconds).description == text)
        #expect(WallTime(text)?.milliseconds == milliseconds)
    }

    @Test func `a text with an offset, without a fraction or with a long fraction is read`() {
        #expect(WallTime("2026-11-21T07:40:00+02:00") == WallTime("2026-11-21T05:40:00.000Z"))
        #expect(WallTime("2026-11-21T00:40:00-05:00") == WallTime("2026-11-21T05:40:00Z"))
        #expect(WallTime("2026-11-21 05:40:00.5Z")?.description == "2026-11-21T05:40:00.500Z")
        #expect(WallTime("2026-11-21T05:40:00.123999999999Z")?.description == "2026-11-21T05:40:00.123Z")
    }

    @Test(arguments: [
        "", "2026-11-21", "2026-11-21T05:40:00", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-11-21T24:00:00Z",
        "2026-11-21T05:60:00Z", "2026-11-21T05:40:00.Z", "2026-11-21T05:40:00Zx", "2026-11-21T05:40:00+2:00",
    ])
    func `a text that is no RFC 3339 time is refused`(text: String) {
        #expect(WallTime(text) == nil)
    }

    @Test func `wall times beyond the years 0 to 9999 are written clamped`() {
        #expect(WallTime(milliseconds: .max).description.hasPrefix("9999-12-31"))
        #expect(WallTime(milliseconds: .min).description.hasPrefix("0000-01-01"))
    }
}
