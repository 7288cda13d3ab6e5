import Settings
import Testing

/// The `[mqtt]` table of both programs.
struct BrokerSettingsTests {
    private func broker(_ text: String) -> BrokerSettings? {
        value("[mqtt]\n" + text) { BrokerSettings($0.table("mqtt"), clientID: .given("kitchen")) }
    }

    private func reported(_ text: String) -> String {
        problem("[mqtt]\n" + text) { _ = BrokerSettings($0.table("mqtt"), clientID: .given("kitchen")) }
    }

    @Test func `an absent table means a broker on this machine`() throws {
        let broker = try #require(value("") { BrokerSettings($0.table("mqtt"), clientID: .configured(default: "x")) })
        #expect(broker.host == "localhost" && broker.port == 1883 && broker.version == .five)
        #expect(broker.prefix == "forgetmenot" && broker.login == nil && broker.tls == nil && broker.clientID == "x")
    }

    @Test func `a CA file means TLS and the port of TLS`() throws {
        let secure = try #require(broker("ca_file = \"ca.crt\"\ncertificate_file = \"/c\"\nkey_file = \"/k\""))
        #expect(secure.port == 8883)
        #expect(secure.tls?.caFile == "/etc/forgetmenot/ca.crt")
        #expect(secure.tls?.client?.certificateFile == "/c" && secure.tls?.client?.keyFile == "/k")
        #expect(broker("ca_file = \"ca.crt\"\nport = 1884")?.port == 1884)
        #expect(secure.tls?.verifiesHostname == true)
        #expect(broker("ca_file = \"ca.crt\"\nverify_hostname = false")?.tls?.verifiesHostname == false)
    }

    @Test func `a user has a name and a password file`() {
        #expect(broker("username = \"u\"\npassword_file = \"p\"")?.login?.passwordFile == "/etc/forgetmenot/p")
        #expect(broker("username = \"u\"")?.login?.username == "u")
    }

    @Test func `the client id is read only if it is configurable`() {
        let text = "[mqtt]\nclient_id = \"site-2\""
        #expect(
            value(text) { BrokerSettings($0.table("mqtt"), clientID: .configured(default: "x")) }?.clientID == "site-2")
        #expect(
            reported("client_id = \"a\"")
                == "2: mqtt.client_id does not belong here: a gateway's client id is its id, so leave it out")
    }

    @Test(arguments: [
        (
            "certificate_file = \"/c\"\nca_file = \"/a\"",
            "2: mqtt.certificate_file stands without key_file: write both or neither"
        ),
        (
            "ca_file = \"/a\"\nkey_file = \"/k\"",
            "3: mqtt.key_file stands without certificate_file: write both or neither"
        ),
        (
            "certificate_file = \"/c\"\nkey_file = \"/k\"",
            "2: mqtt.certificate_file stands without ca_file, so that there would be no TLS: write ca_file as well"
        ),
        (
            "verify_hostname = false",
            "2: mqtt.verify_hostname stands without ca_file, so that there is no TLS: write ca_file as well"
        ),
        ("password_file = \"/p\"", "2: mqtt.password_file stands without a username: write username as well"),
        (
            "password = \"secret\"",
            "2: mqtt.password does not belong here: write it into a file of mode 0600, and that file's path as password_file"
        ),
        ("version = 5", "2: mqtt.version is the number 5: write one of \"5\", \"3.1.1\""),
        ("ca_flie = \"/a\"", "2: mqtt.ca_flie is not a known key: did you mean mqtt.ca_file?"),
    ])
    func `half a login or half of TLS is a problem`(text: String, reported: String) {
        #expect(self.reported(text) == reported)
    }

    @Test(arguments: ["", "a/", "/a", "a//b", "a+", "#", "$SYS", "a\\u0007"])
    func `a prefix with an incomplete level is refused`(prefix: String) {
        #expect(reported("prefix = \"\(prefix)\"").hasSuffix("no \"+\", \"#\", no slash at either end"))
    }

    @Test func `a prefix may have several levels, in any script`() {
        #expect(broker("prefix = \"home/Küche\"")?.prefix == "home/Küche")
    }

    @Test(arguments: ["", "mqtt://broker", "broker:1883", "a b", "user@broker"])
    func `a host with anything but a name or an address is refused`(host: String) {
        #expect(reported("host = \"\(host)\"").contains("write a name or an address alone"))
    }

    @Test func `several hosts are one broker with several addresses, the first of which is tried first`() throws {
        let broker = try #require(self.broker("host = [\"a\", \"192.168.1.5\", \"::1\"]\nport = 1884"))
        #expect(broker.host == "a" && broker.alternatives == ["192.168.1.5", "::1"])
        #expect(broker.endpoint == "a, 192.168.1.5 or ::1, port 1884")
        #expect(try #require(self.broker("host = [\"a\"]")).alternatives.isEmpty)
        #expect(reported("host = []").contains("write an array of 1 to 16 names"))
        #expect(reported("host = [\"a\", \"b:1883\"]").contains("names or addresses without a port"))
        #expect(reported("host = [\"a\", 5]").contains("names or addresses without a port"))
    }

    @Test(arguments: ["broker.lan", "192.168.1.5", "fd00::1", "::1"])
    func `a name and an address of either kind are read as a host`(host: String) {
        #expect(broker("host = \"\(host)\"")?.host == host)
    }
}
