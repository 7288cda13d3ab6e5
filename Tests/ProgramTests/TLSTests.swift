import Glibc
import Mosquitto
import TestBroker
import Testing

/// A broker that requires certificates.
@Suite(
    .enabled(
        if: TestBroker.isInstalled && isProgramInstalled("openssl"), "skipped: no mosquitto or no openssl here"))
struct TLSTests {
    @Test func `a gateway with password and certificate is let in by a broker that asks for both`() throws {
        let authority = try TestAuthority()
        var options = TestBroker.Options()
        options.identity = try authority.issue(to: "localhost")
        options.clientAuthority = authority
        options.users = ["kitchen": "rose"]
        let site = try Site(options)
        let identity = try authority.issue(to: "kitchen")
        let password = try site.folder.write("rose\n", to: "password")
        let broker = """
            username = "kitchen"
            password_file = "password"
            ca_file = "\(authority.certificate)"
            certificate_file = "\(identity.certificate)"
            key_file = "\(identity.key)"

            """
        let gateway = try Program.gateway.start(
            "run", "--config",
            site.gatewayFile("kitchen", room: "Kitchen", radio: "source = \"simulation\"", broker: broker))

        var reading = BrokerOptions(host: "localhost", port: Int(site.broker.port), clientID: "observer")
        (reading.username, reading.passwordFile, reading.caFile) = ("kitchen", password, authority.certificate)
        (reading.certificateFile, reading.keyFile) = (identity.certificate, identity.key)
        let observer = try Observer(reading)
        try observer.wait(forAllOf: ["forgetmenot/gateways/kitchen/info"])
        #expect(observer.latest["forgetmenot/gateways/kitchen/availability"] == "online")
        let end = try gateway.ended(by: SIGTERM)
        #expect(end.status == 0 && !end.hasCrashed, "\(end)")
        try observer.wait(for: "offline") { observer.latest["forgetmenot/gateways/kitchen/availability"] == "offline" }
    }
}
