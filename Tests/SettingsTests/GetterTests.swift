import Beacons
import Settings
import Testing

/// The valid values of each getter, and its problems for all others.
struct GetterTests {
    private enum Colour: String, CaseIterable { case red, green }

    @Test func `a number within its range is read`() {
        #expect(value("port = 1883") { $0.integer("port", in: 1...65_535) } == 1883)
        #expect(value("port = 0x10") { $0.integer("port", in: 1...65_535) } == 16)
        #expect(value("a = -3") { $0.number("a", in: -10...10) } == -3)
        #expect(value("a = 0.5") { $0.number("a", in: -10...10) } == 0.5)
    }

    @Test(arguments: [
        ("99999", "99999"), ("0", "0"), ("-9223372036854775808", "-9223372036854775808"),
        ("9223372036854775807", "9223372036854775807"), ("99999999999999999999", "99999999999999999999"),
        ("\"1883\"", "the text \"1883\""), ("1883.0", "the number 1883.0"), ("true", "the boolean true"),
        ("nan", "the number nan"),
        ("1e999", "1e999"), ("0188", "0188"), ("[1883]", "an array"), ("[]", "an empty array"), ("{a = 1}", "a table"),
        ("2026-11-21", "a date"), ("07:00:00", "a time"), ("2026-11-21T07:00:00", "a date and time of no time zone"),
        ("2026-11-21T07:00:00Z", "the date and time 2026-11-21T07:00:00Z"), ("", "empty"), ("x", "x"),
    ])
    func `an invalid whole number is reported with its range`(written: String, shown: String) {
        #expect(
            problem("port = \(written)") { _ = $0.integer("port", in: 1...65_535) }
                == "1: port is \(shown): write a whole number from 1 to 65535")
    }

    @Test(arguments: [
        ("51", "51"), ("-50.5", "-50.5"), ("inf", "inf"), ("-inf", "-inf"), ("nan", "nan"), ("\"1\"", "the text \"1\""),
    ])
    func `an invalid number is reported with its range`(written: String, shown: String) {
        #expect(
            problem("db = \(written)") { _ = $0.number("db", in: -50...50) }
                == "1: db is \(shown): write a number from -50 to 50")
    }

    @Test func `only true and false are booleans`() {
        #expect(value("a = true") { $0.boolean("a") } == true)
        #expect(value("a = false") { $0.boolean("a") } == false)
        #expect(problem("a = yes") { _ = $0.boolean("a") } == "1: a is yes: write true or false, without quotes")
        #expect(
            problem("a = \"true\"") { _ = $0.boolean("a") }
                == "1: a is the text \"true\": write true or false, without quotes")
        #expect(problem("a = 1") { _ = $0.boolean("a") } == "1: a is the number 1: write true or false, without quotes")
    }

    @Test func `a text may be in any script and must not be blank`() {
        #expect(value("room = \"电脑包 é\"") { $0.text("room") } == "电脑包 é")
        let expected = "write a text of 1 to 256 bytes in quotes, without control characters"
        #expect(problem("room = \"\"") { _ = $0.text("room") } == "1: room is \"\": \(expected)")
        #expect(problem("room = \" \"") { _ = $0.text("room") } == "1: room is \" \": \(expected)")
        #expect(problem("room = \"a\\u001Bb\"") { _ = $0.text("room") } == "1: room is \"a?b\": \(expected)")
        #expect(problem("room = 5") { _ = $0.text("room") } == "1: room is the number 5: \(expected)")
        #expect(
            problem("room = Kitchen # here") { _ = $0.text("room") } == "1: room is Kitchen without quotes: \(expected)"
        )
        let long = String(repeating: "x", count: 257)
        #expect(
            problem("room = \"\(long)\"") { _ = $0.text("room") }
                == "1: room is \"\(String(repeating: "x", count: 57))...\": \(expected)")
    }

    @Test(arguments: [
        ("500ms", 500), ("30s", 30_000), ("5m", 300_000), ("2h", 7_200_000), ("7d", 604_800_000), ("1.5s", 1500),
        ("0s", 0),
    ])
    func `a duration has a number and a unit`(written: String, milliseconds: Int64) {
        let range = Interval.zero ... .seconds(604_800)
        #expect(value("a = \"\(written)\"") { $0.duration("a", in: range) } == .milliseconds(milliseconds))
    }

    @Test(arguments: [
        "", "s", "10", "10 s", "-10s", "1e3s", "1.s", ".5s", "1.2.3s", "10S", "10sec", "61m", "999999999999999999d",
        "٣s", "1\u{301}s",
    ])
    func `an invalid or too long duration is reported with its range`(written: String) {
        #expect(
            problem("a = \"\(written)\"") { _ = $0.duration("a", in: .seconds(1) ... .seconds(3600)) }
                == "1: a is \"\(written)\": write a duration from \"1s\" to \"1h\" (with ms, s, m, h or d)")
    }

    @Test func `a duration without quotes or without a unit has its own problem`() {
        let expected = "write a duration from \"1s\" to \"1h\" (with ms, s, m, h or d)"
        #expect(
            problem("a = 10s") { _ = $0.duration("a", in: .seconds(1) ... .seconds(3600)) }
                == "1: a is 10s without quotes: \(expected)")
        #expect(
            problem("a = 10") { _ = $0.duration("a", in: .seconds(1) ... .seconds(3600)) }
                == "1: a is the number 10: \(expected)")
    }

    @Test(arguments: [
        (0, "0s"), (90_000, "90s"), (300_000, "5m"), (7_200_000, "2h"), (86_400_000, "1d"), (1500, "1500ms"),
    ])
    func `a duration is written in the largest unit without a fraction`(milliseconds: Int64, written: String) {
        #expect(Interval.milliseconds(milliseconds).duration == written)
    }

    @Test func `a duration of less than a millisecond is written with a fraction`() {
        #expect(Interval(nanoseconds: 2_500_000).duration == "2.5ms")
    }

    @Test func `a word is one of a choice`() {
        #expect(value("c = \"red\"") { $0.word("c", of: Colour.self) } == .red)
        #expect(
            problem("c = \"rde\"") { _ = $0.word("c", of: Colour.self) }
                == "1: c is \"rde\": write one of \"red\", \"green\"")
        #expect(
            problem("c = red") { _ = $0.word("c", of: Colour.self) }
                == "1: c is red without quotes: write one of \"red\", \"green\"")
    }

    @Test func `a uuid is 32 hexadecimal digits in either case`() {
        let uuid = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
        #expect(value("u = \"\(uuid)\"") { $0.uuid("u") } == BeaconUUID(uuid))
        #expect(
            problem("u = \"f7826da6\"") { _ = $0.uuid("u") }
                == "1: u is \"f7826da6\": write 32 hexadecimal digits like \"f7826da6-4fa2-4e98-8024-bc5b71e0893e\"")
        #expect(problem("u = f7826da6-4fa2-4e98-8024-bc5b71e0893e") { _ = $0.uuid("u") }.contains("without quotes"))
    }

    @Test func `an id is valid in a topic`() {
        for id in ["kitchen", "0", "a_b.c-d", String(repeating: "x", count: 64)] {
            #expect(value("id = \"\(id)\"") { $0.id("id") } == id)
        }
        for id in ["", "Kitchen", "-a", ".a", "_a", "a b", "é", "a/b", "a+", String(repeating: "x", count: 65)] {
            #expect(
                problem("id = \"\(id)\"") { _ = $0.id("id") }.contains("write 1 to 64 of a-z, 0-9, \"-\", \"_\", \".\"")
            )
        }
    }

    @Test func `a relative path starts at the file's folder`() {
        #expect(value("p = \"/a/b\"") { $0.path("p") } == "/a/b")
        #expect(value("p = \"ca.crt\"") { $0.path("p") } == "/etc/forgetmenot/ca.crt")
        #expect(problem("p = \"\"") { _ = $0.path("p") } == "1: p is \"\": write a path in quotes")
        var path: String?
        #expect(problems(in: "p = \"ca.crt\"") { path = $0.path("p") } == [])
        #expect(path == "ca.crt")  // gateway.toml stands in the folder that the program runs in
    }

    @Test func `a time is RFC 3339, in quotes or in TOML's notation`() {
        let moment = WallTime("2026-11-21T05:40:00.250Z")
        for written in ["\"2026-11-21T05:40:00.25Z\"", "2026-11-21T05:40:00.25Z", "2026-11-21 07:10:00.25+01:30"] {
            #expect(value("a = \(written)") { $0.wallTime("a") } == moment)
        }
        let expected = "write a moment like \"2026-11-21T05:40:00Z\""
        #expect(problem("a = \"noon\"") { _ = $0.wallTime("a") } == "1: a is \"noon\": \(expected)")
        #expect(problem("a = 2026-11-21") { _ = $0.wallTime("a") } == "1: a is a date: \(expected)")
        #expect(problem("a = 2026-13-45") { _ = $0.wallTime("a") } == "1: a is 2026-13-45 without quotes: \(expected)")
    }

    @Test func `a time of day is hours and minutes`() {
        #expect(value("a = \"07:05\"") { $0.timeOfDay("a") }?.minute == 425)
        #expect(value("a = \"23:59\"") { $0.timeOfDay("a") }?.description == "23:59")
        for written in ["24:00", "7:00", "07:60", "07-00", "07:00:00", "aa:bb", "0é:0"] {
            #expect(
                problem("a = \"\(written)\"") { _ = $0.timeOfDay("a") }
                    == "1: a is \"\(written)\": write a time of day like \"07:00\"")
        }
    }

    @Test func `an array is read completely, and its first invalid element is reported with its line`() {
        #expect(value("a = [1, 2.5]") { $0.numbers("a", count: 2...3, in: 0...10) } == [1, 2.5])
        #expect(value("a = ['x', \"y\"]") { $0.texts("a", count: 1...3) } == ["x", "y"])
        #expect(
            value("a = [[1, 2], [3.5, 4]]") { $0.pairs("a", count: 1...3, in: 0...10) }?.map { [$0.0, $0.1] } == [
                [1, 2], [3.5, 4],
            ])
        #expect(
            problem("a = [\n  1,\n  \"2\"\n]") { _ = $0.numbers("a", count: 2...3, in: 0...10) }
                == "3: a has the text \"2\": write an array of 2 or 3 numbers from 0 to 10")
        #expect(
            problem("a = [1]") { _ = $0.numbers("a", count: 2...2, in: 0...10) }
                == "1: a has 1 element: write an array of 2 numbers from 0 to 10")
        #expect(
            problem("a = [1, 99]") { _ = $0.numbers("a", count: 2...2, in: 0...10) }
                == "1: a has the number 99: write an array of 2 numbers from 0 to 10")
        #expect(
            problem("a = 5") { _ = $0.texts("a", count: 1...9) }
                == "1: a is the number 5: write an array of 1 to 9 texts in quotes")
        #expect(
            problem("a = [\"x\", zz]") { _ = $0.texts("a", count: 1...9) }
                == "1: a has zz: write an array of 1 to 9 texts in quotes")
        #expect(
            problem("a = [[1, 2, 3]]") { _ = $0.pairs("a", count: 1...9, in: 0...10) }
                == "1: a has an array: write an array of 1 to 9 pairs of numbers from 0 to 10")
    }

    @Test func `an absent key is nil without a problem unless it is required`() {
        #expect(value("") { $0.integer("port", in: 1...9) } == nil)
        #expect(problem("") { _ = $0.integer("port", in: 1...9) } == "")
        #expect(
            problems(in: "") { _ = $0.required.integer("port", in: 1...9) }
                == ["gateway.toml: port is missing: write a whole number from 1 to 9"])
        #expect(
            problem("\n[mqtt]\n") { _ = $0.table("mqtt").required.integer("port", in: 1...9) }
                == "2: mqtt.port is missing: write a whole number from 1 to 9")
    }
}
