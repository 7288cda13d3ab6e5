import Glibc
import Linux
import TestBroker
import Testing

/// The page with a certificate, as the real program serves it.
@Suite(
    .enabled(
        if: TestBroker.isInstalled && isProgramInstalled("openssl"), "skipped: no mosquitto or no openssl here"))
struct PageTLSTests {
    private let site: Site
    private let authority: TestAuthority

    init() throws {
        (site, authority) = (try Site(), try TestAuthority())
    }

    /// Puts a new certificate and its key where the configuration has them; `mixed`: the key is that of another certificate.
    private func renew(mixed: Bool = false) throws {
        let identity = try authority.issue(to: "localhost")
        let other = mixed ? try authority.issue(to: "localhost") : identity
        try site.folder.write(try readFile(at: identity.certificate).text, to: "page.crt")
        try site.folder.write(try readFile(at: other.key).text, to: "page.key")
    }

    private func file() throws -> String {
        try site.aggregatorFile(
            page: """
                [page]
                address = "127.0.0.1:0"
                certificate_file = "page.crt"
                key_file = "page.key"
                [[page.user]]
                name = "anna"
                password = "scrypt:10:\(String(repeating: "00", count: 16)):\(String(repeating: "00", count: 32))"
                [history]
                enabled = false

                """)
    }

    /// What `openssl s_client` prints for a request, or without one the serial number of the certificate.
    private func client(_ port: Int, _ request: String? = nil) throws -> String {
        let connect =
            "openssl s_client -connect 127.0.0.1:\(port) -CAfile \(authority.certificate) -verify_return_error "
            + "-verify_hostname localhost 2>/dev/null"
        let script =
            request.map { "printf '\($0)' | \(connect) -quiet" }
            ?? "\(connect) </dev/null | openssl x509 -noout -serial"
        return try RunningProgram(["/bin/sh", "-c", script]).ended().output
    }

    @Test func `the page is served with its certificate, and a renewed one is used after a reload`() throws {
        try renew()
        let aggregator = try Program.aggregator.start("run", "--config", file())
        let port = try aggregator.pagePort(scheme: "https")
        let get = "GET / HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n"
        #expect(try client(port, get).contains("<title>Forgetmenot</title>"))
        let body = #"{"user":"anna","password":"wrong"}"#
        let login =
            "POST /api/v1/login HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Type: application/json\\r\\n"
            + "Content-Length: \(body.utf8.count)\\r\\nConnection: close\\r\\n\\r\\n\(body)"
        #expect(try client(port, login).contains("401 Unauthorized"))
        let first = try client(port)
        #expect(first.hasPrefix("serial="))

        try renew()
        aggregator.signal(SIGHUP)
        try aggregator.complaint(of: "its items, people, channels, regions, rooms, doors and gateways are applied")
        let second = try client(port)
        #expect(second.hasPrefix("serial=") && second != first)

        try renew(mixed: true)
        aggregator.signal(SIGHUP)
        try aggregator.complaint(of: "The page goes on with its former certificate: ")
        #expect(try client(port) == second)
        let end = try aggregator.ended(by: SIGTERM)
        #expect(end.status == 0 && !end.hasCrashed, "\(end)")
    }

    @Test func `a certificate that cannot be used is one sentence with the file, in check and in the log`() throws {
        let file = try file()
        func check(_ words: String) throws {
            let end = try Program.aggregator.run("check", "--config", file)
            #expect(end.status == 78 && end.outputLines.count == 1 && end.errors.isEmpty, "\(end)")
            #expect(end.output.contains(words), "\(end)")
        }
        try check("page.crt: cannot be read")
        try renew(mixed: true)
        try check("page.key: is not the key of ")
        try renew()
        #expect(try Program.aggregator.run("check", "--config", file).status == 0)
        try site.folder.write("no key\n", to: "page.key")
        try check("page.key: has no private key")
        try site.folder.write("no certificate\n", to: "page.crt")
        try check("page.crt: has no certificate")
        let aggregator = try Program.aggregator.start("run", "--config", file)
        try aggregator.complaint(of: "There is no page: \(site.folder.path("page.crt")): has no certificate")
    }
}

extension [UInt8] {
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
