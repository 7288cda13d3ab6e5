import Beacons
import Glibc
import Linux

/// Somebody who signs certificates, for the length of a test. It needs the `openssl` command.
package final class TestAuthority {
    /// The file with its own certificate: a client's `ca_file`.
    package let certificate: String
    private let key: String
    private let folder: TestFolder
    private var issued = 0

    /// A new authority; two of them do not believe each other.
    package init() throws {
        folder = try TestFolder()
        certificate = folder.path("ca.crt")
        key = folder.path("ca.key")
        try run(
            ["openssl", "req", "-x509", "-days", "30", "-subj", "/CN=authority \(folder.path.suffix(6))"]
                + newKey + ["-keyout", key, "-out", certificate], in: folder)
    }

    /// A certificate for a host or a client.
    ///
    /// - Parameters:
    ///   - alias: another name of the same host.
    ///   - validFrom: in wall time; `nil` is now. To the second.
    package func issue(to name: String, alias: String? = nil, validFrom: WallTime? = nil) throws -> TestIdentity {
        issued += 1
        let stem = folder.path("\(issued)")
        let identity = TestIdentity(certificate: stem + ".crt", key: stem + ".key")
        try run(
            ["openssl", "req", "-new", "-subj", "/CN=\(name)"] + newKey + [
                "-keyout", identity.key, "-out", stem + ".csr",
            ],
            in: folder)
        // Only `openssl ca` sets the beginning of validity (`x509 -not_before` came with 3.4), and it wants a ledger.
        try folder.write("", to: "ledger")
        try folder.write("\(1000 + issued)\n", to: "serial")
        try folder.write(
            """
            [ca]
            default_ca = authority
            [authority]
            database = \(folder.path("ledger"))
            serial = \(folder.path("serial"))
            new_certs_dir = \(folder.path)
            default_md = sha256
            policy = anything
            unique_subject = no
            [anything]
            commonName = supplied
            [names]
            subjectAltName = DNS:\(name)\(alias.map { ",DNS:\($0)" } ?? "")
            """, to: "ca.conf")
        let from = validFrom ?? WallTime(milliseconds: Clock.wall.milliseconds - 60_000)
        try run(
            [
                "openssl", "ca", "-batch", "-notext", "-config", folder.path("ca.conf"), "-extensions", "names",
                "-cert", certificate, "-keyfile", key, "-startdate", asn1Time(from), "-enddate", "20450101000000Z",
                "-in", stem + ".csr", "-out", identity.certificate,
            ], in: folder)
        return identity
    }

    private var newKey: [String] { ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"] }

    /// `YYYYMMDDHHMMSSZ`, as certificates have it.
    private func asn1Time(_ time: WallTime) -> String {
        var seconds = time_t(time.milliseconds / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 32)
        strftime(&text, text.count, "%Y%m%d%H%M%SZ", &parts)
        return text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }
}

/// A certificate and its key, in files.
package struct TestIdentity: Sendable {
    /// The certificate's file.
    package var certificate: String
    /// The key's file, for this user alone.
    package var key: String

    /// What stands, or will stand, in these files.
    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}
