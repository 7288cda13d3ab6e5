import Glibc
import Linux
import TestBroker
import Testing

/// `forgetmenot broker-setup`: the aggregator's file, the certificates and the passwords of a site that it finds.
@Suite(
    .enabled(if: TestBroker.isInstalled && isProgramInstalled("openssl"), "skipped: no mosquitto or no openssl here"))
struct BrokerFileTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    private func setUp(_ words: String...) throws -> Ended { try setUp(words) }

    private func setUp(_ words: [String], path: String? = nil) throws -> Ended {
        try RunningProgram(
            ["env"] + (path.map { ["PATH=\($0)"] } ?? [])
                + [Program.aggregator.path, "broker-setup", "--folder", folder.path("broker")]
                + ["--config", folder.path("aggregator.toml")] + words
        ).ended()
    }

    /// Every file in the folder, with its text.
    private func files() throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for part in ["", "/secrets", "/authorities"] {
            let path = folder.path("broker" + part)
            for name in try StateFolder(path: path).entries() {
                files["\(part)/\(name)"] = try? readFile(at: path + "/" + name)
            }
        }
        return files
    }

    private func text(_ name: String) throws -> String {
        String(decoding: try readFile(at: folder.path(name)), as: UTF8.self)
    }

    private func certificate(_ name: String, _ option: String) throws -> String {
        let end = try RunningProgram(
            ["openssl", "x509", "-in", folder.path("broker/\(name).crt"), "-noout", option, "-nameopt", "RFC2253"]
        ).ended()
        #expect(end.status == 0, "\(end)")
        return end.output
    }

    @Test func `a certificate or key of the broker that is empty or cut off is made again`() throws {
        #expect(try setUp("--tls").status == 0)
        for name in ["server.crt", "server.key", "server.crt"] {
            let former = try text("broker/\(name)")
            for rest in ["", String(former.prefix(100))] {
                try folder.write(rest, to: "broker/\(name)")
                let end = try setUp()
                #expect(end.status == 0 && end.output.contains("has a certificate for localhost"), "\(end)")
                let verified = try RunningProgram(
                    ["openssl", "verify", "-CAfile", folder.path("broker/ca.crt"), folder.path("broker/server.crt")]
                ).ended()
                #expect(verified.status == 0, "\(verified)")
                #expect(try text("broker/server.key").hasSuffix("-----END PRIVATE KEY-----\n"))
            }
        }
    }

    @Test func `a certificate that openssl could not write replaces none`() throws {
        #expect(try setUp("--tls").status == 0)
        let before = try files()
        try StateFolder(path: folder.path("tools")).make()
        for script in ["exit 0", "while [ $# -gt 1 ]; do [ $1 != -out ] || : > \"$2\"; shift; done; exit 0", "exit 1"] {
            try folder.write("#!/bin/sh\n\(script)\n", to: "tools/openssl", mode: 0o700)
            let end = try setUp(["--host", "new.lan"], path: "\(folder.path("tools")):/usr/sbin:/usr/bin:/bin")
            #expect(end.status == 69 && end.errorLines.count == 1 && end.errors.contains("openssl"), "\(end)")
            #expect(try files() == before)
        }
    }

    @Test func `the broker's name may be longer than the subject of a certificate`() throws {
        let host = "\(String(repeating: "a-long-name.", count: 10))example.org"
        #expect(try setUp("--tls", "--host", host).status == 0)
        #expect(try certificate("server", "-text").contains("DNS:\(host)"))
    }

    @Test(arguments: [["--tls"], ["--certificates"]])
    func `certificates are valid for a machine whose clock is years behind`(mode: [String]) throws {
        let end = try setUp(["--gateway", "hall"] + mode)
        #expect(end.status == 0, "\(end)")
        for name in ["ca", "server"] + (mode == ["--tls"] ? [] : ["gateways-ca", "users-ca", "secrets/hall"]) {
            #expect(try certificate(name, "-startdate").contains("2020"), "\(name)")
            #expect(try certificate(name, "-text").contains("X509v3 Basic Constraints: critical"), "\(name)")
        }
        let verified = try RunningProgram(
            ["openssl", "verify", "-attime", "1600000000", "-CAfile", folder.path("broker/ca.crt")]
                + [folder.path("broker/server.crt")]
        ).ended()
        #expect(verified.status == 0, "\(verified)")
    }
}
