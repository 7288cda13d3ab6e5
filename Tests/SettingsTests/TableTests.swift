import Settings
import Testing

/// Nested tables and unknown keys.
struct TableTests {
    private func readMQTT(_ root: SettingsTable) {
        let mqtt = root.table("mqtt")
        _ = mqtt.text("host")
        _ = mqtt.integer("port", in: 1...65_535)
        _ = mqtt.path("password_file")
        for region in root.tables("region") { _ = region.required.text("identifier") }
        _ = root.text("room")
    }

    @Test func `five mistakes are reported in five lines, ordered by line`() {
        let text = """
            room = 5
            colour = "red"

            [mqtt]
            prot = 1883
            host = localhost
            port = 99999

            """
        #expect(
            problems(in: text, readMQTT) == [
                "gateway.toml:1: room is the number 5: write a text of 1 to 256 bytes in quotes, without control characters",
                "gateway.toml:2: colour is not a known key: remove it (known here: mqtt, region, room)",
                "gateway.toml:5: mqtt.prot is not a known key: did you mean mqtt.port?",
                "gateway.toml:6: mqtt.host is localhost without quotes: write a text of 1 to 256 bytes in quotes, "
                    + "without control characters",
                "gateway.toml:7: mqtt.port is 99999: write a whole number from 1 to 65535",
            ])
    }

    @Test(arguments: [
        ("[mqt]\nport = 1", "1: mqt is not a known table: did you mean [mqtt]?"),
        ("[[regions]]", "1: regions is not a known table: did you mean [[region]]?"),
        ("[mqtt]\nHost = \"a\"", "2: mqtt.Host is not a known key: did you mean mqtt.host?"),
        ("[mqtt]\npassword-file = \"a\"", "2: mqtt.password-file is not a known key: did you mean mqtt.password_file?"),
        ("[mqtt]\npassword = \"a\"", "2: mqtt.password is not a known key: did you mean mqtt.password_file?"),
        ("port = 1", "1: port is not a known key: it belongs to [mqtt]"),
        ("[mqtt]\nroom = \"a\"", "2: mqtt.room is not a known key: it belongs to the top of the file"),
        ("\"a b\" = 1", "1: \"a b\" is not a known key: remove it (known here: mqtt, region, room)"),
        ("\"\" = 1", "1: \"\" is not a known key: remove it (known here: mqtt, region, room)"),
        ("zz = 1s", "1: zz is not a known key: remove it (known here: mqtt, region, room)"),
    ])
    func `an unknown key is a problem that suggests a known one`(text: String, reported: String) {
        #expect(problem(text, readMQTT) == reported)
    }

    @Test(arguments: [
        ("mqtt = 5", "1: mqtt is the number 5: write a table, [mqtt]"),
        ("mqtt = broker", "1: mqtt is broker: write a table, [mqtt]"),
        ("[[mqtt]]", "1: mqtt is an array: write a table, [mqtt]"),
        ("\n[region]\nidentifier = \"a\"", "2: region is a table: write [[region]], with two brackets"),
        ("region = [1]", "1: region has the number 1: write tables, [[region]]"),
    ])
    func `a value in place of a table is reported once`(text: String, reported: String) {
        #expect(problem(text, readMQTT) == reported)
    }

    @Test func `other programs' tables are ignored, but misspelled names are reported`() {
        let text = Array("zz = 1s\n[mqt]\nport = 1\n[mqtt]\nprot = 1\n".utf8)
        let reading = readSettings(text, file: "site.toml", otherTables: .ignored) { readMQTT($0) }
        #expect(
            reading.problems.map(\.description) == [
                "site.toml:2: mqt is not a known table: did you mean [mqtt]?",
                "site.toml:5: mqtt.prot is not a known key: did you mean mqtt.port?",
            ])
    }

    @Test func `a table that is read twice is the same, and its problems are reported once`() {
        #expect(
            problems(in: "[mqtt]\nport = 0\n") {
                readMQTT($0); readMQTT($0)
            }.count == 1)
        #expect(
            problem("[a]\nx = 1\ny = 2") { root in
                _ = root.table("a").integer("x", in: 0...9)
                _ = root.table("a").integer("y", in: 0...9)
            } == "")
    }

    @Test func `known keys are the keys that were read, present or absent`() {
        let reading = readSettings(
            Array("[[region]]\nidentifier = \"a\"\n[[region]]\nidentifier = \"b\"".utf8), file: ""
        ) {
            readMQTT($0)
        }
        #expect(reading.knownKeys == ["room", "mqtt.host", "mqtt.port", "mqtt.password_file", "region.identifier"])
    }

    @Test func `the paths of a reading start at the root, or at the folder of the file`() {
        for (path, resolved) in [("a", "/etc/forgetmenot/a"), ("/b", "/b")] {
            let reading = readSettings(
                Array("[mqtt]\npassword_file = \"\(path)\"".utf8), file: "/etc/forgetmenot/gateway.toml"
            ) { readMQTT($0) }
            #expect(reading.files.map(\.path) == [resolved])
        }
    }

    @Test func `a caller's problem has the line of the key, or else of the table`() {
        #expect(
            problem("\n[a]\n\nx = 1") { root in
                let table = root.table("a")
                _ = table.integer("x", in: 0...9)
                table.note("x", "is one: write two")
                table.note("y", "is absent: write it")
                table.refuse("z", "is not there")
            } == "2: a.y is absent: write it\n4: a.x is one: write two")
    }

    @Test func `a refused key is not unknown as well`() {
        #expect(
            problem("password = \"x\"") { $0.refuse("password", "does not belong here: write a file") }
                == "1: password does not belong here: write a file")
    }

    @Test func `an unknown name is reported with the nearest name`() {
        #expect(
            problem("room = \"Kithcen\"") { root in
                _ = root.text("room")
                root.noteUnknown("room", "Kithcen", as: "[[room]]", among: ["Hall", "Kitchen"])
            } == "1: room has \"Kithcen\", of which there is no [[room]]: did you mean \"Kitchen\"?")
    }
}
