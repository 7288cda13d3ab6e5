import Testing

@testable import Settings

/// A key is set in a user's file, and everything else stays.
struct SettingsTextTests {
    private let file = """
        # Ours.
        #id = "kitchen"
        state_directory = "x"

        [mqtt]
        # The broker.
        host = "localhost"   # near
        #port = 1883

        # What listens.
        [radio]
        source = "bluez:hci0"

        #[beacon]
        #uuid = "…"

        """

    @Test func `an existing key is replaced, even if it is commented out`() {
        let text = setting("port", to: "1884", in: "mqtt", of: setting("id", to: "\"hall\"", of: file))
        #expect(
            text
                == file.replacing("#id = \"kitchen\"", with: "id = \"hall\"").replacing(
                    "#port = 1883", with: "port = 1884"))
    }

    @Test func `a missing key is added to its table, above the comments of the next`() {
        let text = setting("username", to: "\"hall\"", in: "mqtt", of: file)
        #expect(text == file.replacing("#port = 1883\n", with: "#port = 1883\nusername = \"hall\"\n"))
        #expect(
            setting("room", to: "\"Hall\"", of: file).contains("state_directory = \"x\"\nroom = \"Hall\"\n\n[mqtt]"))
    }

    @Test func `a key of another table and a longer key are not replaced`() {
        let text = setting("uuid", to: "\"u\"", in: "radio", of: file)
        #expect(text.contains("source = \"bluez:hci0\"\nuuid = \"u\"\n") && text.contains("#uuid = \"…\""))
        #expect(setting("host_name", to: "1", in: "mqtt", of: file).contains("host = \"localhost\""))
    }

    @Test func `a key is commented out in its table alone, and can be set again`() {
        let text = withoutSetting("host", in: "mqtt", of: file + "host = \"x\"\n")
        #expect(text == file.replacing("\nhost = ", with: "\n#host = ") + "host = \"x\"\n")
        #expect(withoutSetting("host", in: "mqtt", of: text) == text)
        #expect(setting("host", to: "\"y\"", in: "mqtt", of: text).contains("\nhost = \"y\"\n"))
    }

    @Test(arguments: ["  host", "\thost", "host\t", "\t host \t"], ["[mqtt]", "  [mqtt]", "\t[ mqtt ]\t# Ours"])
    func `an indented key of an indented table is replaced, or commented out`(key: String, table: String) {
        let other = "id = 1\n  [radio]\n  host = 2\n"
        let text = "\(other)\(table)\n\(key)= \"x\"\n\t[page]\n"
        let new = setting("host", to: "3", in: "mqtt", of: text)
        #expect(new == "\(other)\(table)\nhost = 3\n\t[page]\n")
        #expect(setting("host", to: "3", in: "mqtt", of: new) == new)
        #expect(withoutSetting("host", in: "mqtt", of: text) == "\(other)\(table)\n#\(key)= \"x\"\n\t[page]\n")
    }

    @Test func `lines that end with a carriage return stay so`() {
        let text = file.replacing("\n", with: "\r\n")
        for (key, table) in [("host", "mqtt"), ("port", "mqtt"), ("username", "mqtt"), ("id", nil), ("a", "new")] {
            let new = setting(key, to: "1", in: table, of: text)
            #expect(new == setting(key, to: "1", in: table, of: file).replacing("\n", with: "\r\n"))
            #expect(setting(key, to: "1", in: table, of: new) == new)
        }
        #expect(
            withoutSetting("host", in: "mqtt", of: text)
                == withoutSetting("host", in: "mqtt", of: file).replacing("\n", with: "\r\n"))
    }

    @Test func `an empty text becomes a file with the key`() {
        let text = setting("host", to: "\"h\"", in: "mqtt", of: setting("room", to: "\"R\"", of: ""))
        #expect(text == "room = \"R\"\n\n[mqtt]\nhost = \"h\"\n")
    }

    @Test(arguments: ["Küche", "a\"b\\c", "line\nend", "tab\t", "电脑包", ""])
    func `a written text is read back`(text: String) {
        let bytes = Array("key = \(tomlText(text))\n".utf8)
        let reading = readSettings(bytes, file: "test.toml") { $0.parsed("key", "anything") { $0 } }
        #expect(reading.configuration == text, "\(reading.problems)")
    }

    @Test func `setting a key twice equals setting it once`() {
        let once = setting("username", to: "\"a\"", in: "mqtt", of: file)
        #expect(setting("username", to: "\"a\"", in: "mqtt", of: once) == once)
    }
}
