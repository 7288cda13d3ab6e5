import Glibc
import Linux
import TestBroker
import Testing

@testable import Mosquitto

/// The mistakes that prevent a start, and the problems that are retried.
@Suite struct OptionsTests {
    private let folder: TestFolder
    private var options = BrokerOptions(host: "localhost", port: 1883, clientID: "kitchen")

    init() throws {
        folder = try TestFolder()
    }

    private func mistakes(_ change: (inout BrokerOptions) throws -> Void) rethrows -> [String] {
        var changed = options
        try change(&changed)
        return changed.mistakes().map(\.description)
    }

    @Test func `valid options have no mistakes`() {
        #expect(options.mistakes() == [])
    }

    @Test func `all mistakes are reported at once by their keys`() {
        let found = mistakes {
            $0.passwordFile = "/no/such/file"
            $0.caFile = "/no/such/authority"
            $0.certificateFile = "/no/such/certificate"
        }
        #expect(
            found == [
                "password_file: /no/such/file does not exist", "ca_file: /no/such/authority does not exist",
                "certificate_file: /no/such/certificate does not exist",
            ])
    }

    @Test func `a secret that all users can read is refused`() throws {
        for mode in [0o604, 0o602, 0o644, 0o666] as [mode_t] {
            let file = try folder.write("secret", to: "password", mode: mode)
            #expect(
                mistakes {
                    $0.username = "kitchen"
                    $0.passwordFile = file
                } == ["password_file: \(file) is accessible to all users: run chmod 600 \(file)"])
        }
        for mode in [0o600, 0o400, 0o640] as [mode_t] {
            let file = try folder.write("secret", to: "password", mode: mode)
            #expect(
                mistakes {
                    $0.username = "kitchen"
                    $0.passwordFile = file
                } == [])
        }
    }

    @Test(arguments: [
        ("secret", "secret"), ("secret\n", "secret"), ("secret\r\n", "secret"), (" s p a c e ", " s p a c e "),
        ("ümlaut\n", "ümlaut"),
    ])
    func `a password is the only line of its file`(content: String, password: String) throws {
        var options = options
        options.passwordFile = try folder.write(content, to: "password")
        #expect(try options.password() == password)
    }

    @Test(arguments: ["", "\n", "one\ntwo\n", "zero\0", "secret\n\n"])
    func `a file that does not hold one line is a mistake`(content: String) throws {
        let file = try folder.write(content, to: "password")
        #expect(
            mistakes {
                $0.username = "kitchen"
                $0.passwordFile = file
            } == ["password_file: \(file) does not hold one line with a password"])
    }

    @Test func `a folder in place of a file is a mistake`() {
        #expect(mistakes { $0.caFile = folder.path } == ["ca_file: \(folder.path) is not a file"])
    }

    @Test func `an authority's file without a certificate is a mistake`() throws {
        let file = try folder.write("nothing of use\n", to: "ca.crt")
        #expect(mistakes { $0.caFile = file } == ["ca_file: \(file) contains no certificate (PEM)"])
    }

    @Test(.enabled(if: isProgramInstalled("openssl"), "skipped: no openssl to make certificates with"))
    func `certificate and key must be a pair, and the key must have no passphrase`() throws {
        let authority = try TestAuthority()
        let one = try authority.issue(to: "one")
        let two = try authority.issue(to: "two")
        func mistakes(certificate: String, key: String) -> [String] {
            self.mistakes {
                $0.caFile = authority.certificate
                $0.certificateFile = certificate
                $0.keyFile = key
            }
        }
        #expect(mistakes(certificate: one.certificate, key: one.key) == [])
        #expect(
            mistakes(certificate: one.certificate, key: two.key)
                == ["key_file: \(two.key) is not the key of \(one.certificate)"])
        let rsa = folder.path("rsa.key")
        try run(["openssl", "genrsa", "-out", rsa, "2048"], in: folder)
        #expect(
            mistakes(certificate: one.certificate, key: rsa) == [
                "key_file: \(rsa) is not the key of \(one.certificate)"
            ])
        let locked = folder.path("locked.key")
        try run(["openssl", "ec", "-in", one.key, "-aes256", "-passout", "pass:secret", "-out", locked], in: folder)
        #expect(
            mistakes(certificate: one.certificate, key: locked)
                == ["key_file: \(locked) contains no key (PEM, without passphrase)"])
        #expect(
            mistakes(certificate: one.key, key: one.key)
                == ["certificate_file: \(one.key) contains no certificate (PEM)"])
    }

    @Test func `a mistake prevents the start`() {
        #expect(throws: Failure.self) {
            try BrokerConnection(
                {
                    var options = options
                    options.caFile = "/no/such/ca.crt"
                    return options
                }())
        }
    }

    @Test func `an unreadable file is retried, and a missing file is a mistake`() {
        func problem(_ code: Int32) -> FileProblem { FileProblem(.keyFile, SystemError("open", code: code), at: "/k") }
        for code in [EACCES, EPERM, EIO, EMFILE] { #expect(problem(code).mayHeal) }
        for code in [ENOENT, ENOTDIR, ELOOP, EFBIG] { #expect(!problem(code).mayHeal) }
        #expect(problem(EACCES).description == "key_file: /k: Permission denied")
    }

    @Test(.enabled(if: geteuid() != 0, "skipped: root may read every file"))
    func `a password file that is not readable yet is reported and retried`() throws {
        let broker = try ScriptedBroker()
        let password = try folder.write("secret", to: "password", mode: 0o000)
        var options = BrokerOptions.at(broker.port)
        options.username = "kitchen"
        options.passwordFile = password
        #expect(options.mistakes() == [])
        let owner = try Owner(options)
        let fault = try owner.failing()
        #expect(fault.kind == .file)
        #expect(fault.description == "password_file: \(password): Permission denied")
        #expect(chmod(password, 0o600) == 0)
        _ = try broker.welcome()
        try owner.connected()
    }
}
