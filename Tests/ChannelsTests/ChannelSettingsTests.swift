import Settings
import Testing

@testable import Channels

struct ChannelSettingsTests {
    private func read(_ text: String) -> SettingsReading<[ChannelSettings]> {
        readSettings(Array(text.utf8), file: "/etc/forgetmenot/aggregator.toml") { ChannelSettings.all(in: $0) }
    }

    @Test func `each kind is read with its keys`() {
        let channels = read(
            """
            [[channel]]
            person = "anna"
            kind = "ntfy"
            url = "https://ntfy.example.org/"
            topic_file = "anna.topic"
            token_file = "ntfy.token"
            [[channel]]
            person = "anna"
            kind = "homeassistant"
            url = "http://homeassistant.local:8123"
            service = "mobile_app_pixel_8"
            token_file = "/run/ha.token"
            private = true
            [[channel]]
            person = "ben"
            kind = "apprise"
            apprise_file = "ben.apprise"
            [[channel]]
            person = "ben"
            kind = "command"
            command = ["/usr/local/bin/tell", "ben"]
            """
        ).configuration
        #expect(
            channels == [
                ChannelSettings(
                    person: "anna",
                    kind: .ntfy(
                        server: "https://ntfy.example.org", topicFile: "/etc/forgetmenot/anna.topic",
                        tokenFile: "/etc/forgetmenot/ntfy.token")),
                ChannelSettings(
                    person: "anna",
                    kind: .homeAssistant(
                        server: "http://homeassistant.local:8123", service: "mobile_app_pixel_8",
                        tokenFile: "/run/ha.token"), isPrivate: true),
                ChannelSettings(person: "ben", kind: .apprise(file: "/etc/forgetmenot/ben.apprise")),
                ChannelSettings(person: "ben", kind: .command(["/usr/local/bin/tell", "ben"])),
            ])
    }

    @Test(arguments: [("", true), ("private = false", false)])
    func `the public server of ntfy gets private messages unless private is false`(line: String, isPrivate: Bool) {
        let text = "[[channel]]\nperson = \"anna\"\nkind = \"ntfy\"\nurl = \"https://ntfy.sh\"\ntopic_file = \"t\"\n"
        #expect(read(text + line).configuration?.first?.isPrivate == isPrivate)
    }

    @Test(arguments: [
        ("kind = \"ntfi\"\nurl = \"https://x\"", "channel.kind is \"ntfi\""),
        ("url = \"https://x\"", "channel.kind is missing"),
        ("kind = \"ntfy\"\nurl = \"https://x\"", "channel.topic_file is missing"),
        (
            "kind = \"command\"\ncommand = [\"x\"]\nurl = \"https://x\"",
            "channel.url does not belong to kind = \"command\""
        ),
        (
            "kind = \"command\"\ncomand = [\"x\"]\ncommand = [\"x\"]",
            "channel.comand is not a known key: did you mean channel.command?"
        ),
        (
            "kind = \"ntfy\"\nurl = \"https://anna:secret@x\"\ntopic_file = \"t\"",
            "channel.url is \"https://anna:secret@x\""
        ),
        ("kind = \"ntfy\"\nurl = \"ftp://x\"\ntopic_file = \"t\"", "channel.url is \"ftp://x\""),
        ("kind = \"ntfy\"\nurl = \"https:///x\"\ntopic_file = \"t\"", "channel.url is \"https:///x\""),
        (
            "kind = \"homeassistant\"\nurl = \"https://x\"\ntoken_file = \"t\"\nservice = \"../states\"",
            "channel.service is \"../states\""
        ),
    ])
    func `a mistake in a channel is one problem, in its line`(lines: String, problem: String) {
        let problems = read("[[channel]]\nperson = \"anna\"\n" + lines + "\n").problems.map { "\($0)" }
        #expect(problems.count == 1 && problems[0].contains(problem), "\(problems)")
    }

    @Test func `more channels than the limit are a problem`() {
        let table = "[[channel]]\nperson = \"anna\"\nkind = \"command\"\ncommand = [\"x\"]\n"
        #expect(read(String(repeating: table, count: ChannelSettings.most)).problems.isEmpty)
        #expect(read(String(repeating: table, count: ChannelSettings.most + 1)).problems.count == 1)
    }
}
