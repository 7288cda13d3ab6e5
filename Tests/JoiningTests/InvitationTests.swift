import Beacons
import Glibc
import Linux
import TestBroker
import Testing

@testable import Joining

/// A site and a new gateway, and those who would like to be one of them.
struct InvitationTests {
    private let text = "room = \"Hall\"\npassword = \"\(String(repeating: "rose", count: 1000))\"\n"
    private let deadline = Clock.now + .seconds(60)

    private func invitation(_ code: JoinCode = JoinCode()) throws -> Invitation {
        try Invitation(code: code, on: "127.0.0.1", port: 0)
    }

    /// What a gateway with this code gets, or the sentence why it gets nothing.
    private func gateway(_ code: JoinCode, at port: Int) throws -> Background<Result<String, Failure>> {
        try Background(named: "gateway") {
            Result { () throws(Failure) in try Invitation.fetch(from: "127.0.0.1", port: port, code: code) }
        }
    }

    private func outcome<Value>(of work: Background<Value>) throws -> Value {
        _ = wait(for: [work.number], until: deadline)
        return try #require(work.outcome)
    }

    @Test func `the gateway with the code receives the whole text, and the site knows`() throws {
        let invitation = try invitation()
        let gateway = try gateway(invitation.code, at: invitation.port)
        #expect(invitation.serve(text, until: deadline) == .received)
        #expect(try outcome(of: gateway).get() == text)
    }

    @Test func `a guessed code gets nothing, and the gateway with the right one comes through, twice`() throws {
        let invitation = try invitation()
        for _ in 0..<2 {
            let guesser = try gateway(JoinCode(), at: invitation.port)
            #expect(invitation.serve(text, until: deadline) == .refused)
            guard case .failure(let failure) = try outcome(of: guesser) else {
                Issue.record("the guesser got the text")
                return
            }
            #expect(failure.status == .unavailable && failure.description.contains("refused the code"))
            let gateway = try gateway(invitation.code, at: invitation.port)
            #expect(invitation.serve(text, until: deadline) == .received)
            #expect(try outcome(of: gateway).get() == text)
        }
    }

    @Test func `a second site that does not know the code cannot give the gateway another configuration`() throws {
        let site = try invitation()
        let impostor = try invitation()
        let gateway = try gateway(site.code, at: impostor.port)
        #expect(impostor.serve(text, until: deadline) == .refused)
        #expect(throws: Failure.self) { try outcome(of: gateway).get() }
    }

    @Test(.enabled(if: isProgramInstalled("openssl"), "skipped: no openssl here"))
    func `a site that shows a certificate instead of knowing the code gives the gateway nothing, each time`() throws {
        let folder = try TestFolder()
        let (certificate, key) = (folder.path("certificate"), folder.path("key"))
        try run(
            [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
                "/CN=hub", "-out", certificate, "-keyout", key,
            ], in: folder)
        let port = Int(try Loopback.freePort())
        let thief = try Subprocess(
            [
                "openssl", "s_server", "-quiet", "-accept", "127.0.0.1:\(port)", "-cert", certificate, "-key", key,
                "-tls1_3",
            ], input: Array(text.utf8), errors: "/dev/null")
        defer {
            thief.signal(SIGKILL)
            _ = thief.waitForEnd()
        }
        for _ in 0..<2 {
            var sentence = "nobody waits"
            while sentence.contains("nobody waits"), Clock.now < deadline {
                do { sentence = try Invitation.fetch(from: "127.0.0.1", port: port, code: JoinCode()) } catch {
                    sentence = "\(error)"
                }
            }
            #expect(sentence.contains("127.0.0.1 refused the code"))
        }
    }

    @Test func `of several announced sites, the gateway takes the one with its code, also if others come first`() throws
    {
        let site = try invitation()
        let thief = try invitation()
        let other = try invitation()
        func announced(_ port: Int) throws -> AnnouncedSite {
            try #require(
                AnnouncedSite(parsing: "=;lo;IPv4;a;_forgetmenot._tcp;local;hub.local;127.0.0.1;\(port);"))
        }
        let all = try [Int(Loopback.freePort()), thief.port, site.port, other.port].map(announced)
        for _ in 0..<2 {
            let gateway = try Background(named: "gateway") {
                Result { () throws(Failure) in try Invitation.fetch(from: all, code: site.code) }
            }
            // The thief has the whole connection, and learns nothing; the one behind the site is not even asked.
            #expect(thief.serve(text, until: deadline) == .refused)
            #expect(site.serve(text, until: deadline) == .received)
            #expect(try outcome(of: gateway).get() == text)
            #expect(other.serve(text, until: Clock.now) == .expired)
        }
    }

    @Test func `without a site that has the code, the gateway asks for the host`() throws {
        #expect { try Invitation.fetch(from: [], code: JoinCode()) } throws: {
            "\($0)".contains("no site announces itself here: give the host")
        }
        let thief = try invitation()
        let line = "=;lo;IPv4;a;_forgetmenot._tcp;local;hub.local;127.0.0.1;\(thief.port);"
        let all = [try #require(AnnouncedSite(parsing: line))]
        let gateway = try Background(named: "gateway") {
            Result { () throws(Failure) in try Invitation.fetch(from: all, code: JoinCode()) }
        }
        #expect(thief.serve(text, until: deadline) == .refused)
        #expect { try outcome(of: gateway).get() } throws: { "\($0)".contains("has this code: give the host") }
    }

    @Test func `what avahi-browse prints is read, and other lines are skipped`() throws {
        let v4 = #"=;eth0;IPv4;b\059\032\034For\.get\034;_forgetmenot._tcp;local;hub.local;10.0.0.7;8885;"x=1;2""#
        let site = try #require(AnnouncedSite(parsing: v4))
        #expect(site.host == "10.0.0.7" && site.port == 8885)
        let v6 = try #require(AnnouncedSite(parsing: "=;wlan0;IPv6;b;_forgetmenot._tcp;local;hub.local;fe80::1;9;"))
        #expect(v6.host == "fe80::1%wlan0" && v6.port == 9)
        for line in ["", "+;lo;IPv4;b;_forgetmenot._tcp;local", "=;a;b;c;d;e;f;g;99999;", ";;;;;;;;;;;", "=;;;"] {
            #expect(AnnouncedSite(parsing: line) == nil)
        }
    }

    @Test func `the file for avahi announces the port on which an invitation waits`() throws {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let text = try String(decoding: readFile(at: "\(root)/deploy/avahi/forgetmenot.service"), as: UTF8.self)
        #expect(text.contains("<port>\(Invitation.standardPort)</port>") && text.contains(">\(AnnouncedSite.service)<"))
    }

    @Test func `a listener sees nothing of the text, and a replay of what the gateway sent gets nothing`() throws {
        let invitation = try invitation()
        let recorder = try Recorder(to: invitation.port)
        let gateway = try gateway(invitation.code, at: recorder.port)
        let recording = try Background(named: "listener") { recorder.record() }
        #expect(invitation.serve(text, until: deadline) == .received)
        #expect(try outcome(of: gateway).get() == text)
        let (sent, received) = try outcome(of: recording)
        #expect(sent.count > 200 && received.count > text.utf8.count)
        for secret in [invitation.code.key, Array(invitation.code.text.utf8), Array("roserose".utf8)] {
            #expect(!contains(sent + received, secret))
        }

        let replay = try Background(named: "replay") { Recorder.response(to: sent, from: invitation.port) }
        #expect(invitation.serve(text, until: deadline) == .refused)
        #expect(try outcome(of: replay).count < text.utf8.count)
    }

    @Test(arguments: [[], Array("GET / HTTP/1.1\r\n\r\n".utf8), [0x16, 3, 1, 2, 0, 1]] as [[UInt8]])
    func `a connection that is silent, or no TLS, does not hold up the gateway`(bytes: [UInt8]) throws {
        let invitation = try invitation()
        let stranger = try Recorder.connection(to: invitation.port)
        _ = write(stranger.number, bytes, bytes.count)
        #expect(invitation.serve(text, until: deadline, patience: .milliseconds(50)) == .refused)
        let gateway = try gateway(invitation.code, at: invitation.port)
        #expect(invitation.serve(text, until: deadline) == .received)
        #expect(try outcome(of: gateway).get() == text)
    }

    @Test func `a gateway behind a connection that is silent gets its turn, twice`() throws {
        let invitation = try invitation()
        for _ in 0..<2 {
            let stranger = try Recorder.connection(to: invitation.port)
            let gateway = try gateway(invitation.code, at: invitation.port)
            #expect(invitation.serve(text, until: deadline) == .refused)
            #expect(invitation.serve(text, until: deadline) == .received)
            #expect(try outcome(of: gateway).get() == text)
            withExtendedLifetime(stranger) {}
        }
    }

    @Test func `an invitation expires when nobody comes`() throws {
        #expect(try invitation().serve(text, until: Clock.now) == .expired)
    }

    @Test func `a gateway that finds no invitation reports where it looked`() throws {
        let port = try Int(Loopback.freePort())
        #expect {
            try Invitation.fetch(from: "127.0.0.1", port: port, code: JoinCode())
        } throws: {
            "\($0)".contains("nobody waits for a gateway at 127.0.0.1, port \(port)")
        }
        #expect { try Invitation.fetch(from: "no.such.invalid", port: port, code: JoinCode()) } throws: {
            "\($0)".contains("no machine has the name no.such.invalid")
        }
    }

    private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        bytes.indices.contains { bytes[$0...].starts(with: part) }
    }
}

/// Records the line between a gateway and a site.
private final class Recorder: Sendable {
    let port: Int
    private let target: Int
    private let listener: FileDescriptor

    init(to target: Int) throws {
        self.target = target
        let listener = FileDescriptor(owning: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        let isBound = Self.withAddress(of: 0) { bind(listener.number, $0, $1) } == 0
        guard isBound, listen(listener.number, 1) == 0 else { throw SystemError.last("listen") }
        var (address, length) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
        withUnsafeMutableBytes(of: &address) {
            _ = getsockname(listener.number, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), &length)
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        self.listener = listener
    }

    static func connection(to port: Int) throws -> FileDescriptor {
        let socket = FileDescriptor(owning: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        guard withAddress(of: port, { connect(socket.number, $0, $1) }) == 0 else { throw SystemError.last("connect") }
        return socket
    }

    private static func withAddress(of port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafeBytes(of: &address) {
            body($0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
    }

    /// Passes on one connection; returns what the gateway sent, and what it received.
    func record() -> (sent: [UInt8], received: [UInt8]) {
        let client = FileDescriptor(owning: accept(listener.number, nil, nil))
        guard let server = try? Self.connection(to: target) else { return ([], []) }
        var recorded: [[UInt8]] = [[], []]
        var isOpen = [true, true]
        let numbers = [client.number, server.number]
        while isOpen.contains(true) {
            let ready = wait(for: (0..<2).map { isOpen[$0] ? numbers[$0] : -1 }, until: nil)
            for end in 0..<2 where ready[end] {
                var bytes = [UInt8](repeating: 0, count: 4096)
                let count = read(numbers[end], &bytes, bytes.count)
                isOpen[end] = count > 0
                if count > 0 { recorded[end] += bytes[..<count] }
                if count > 0 {
                    _ = write(numbers[1 - end], bytes, count)
                } else {
                    shutdown(numbers[1 - end], Int32(SHUT_WR))
                }
            }
        }
        return (recorded[0], recorded[1])
    }

    /// What a server returns to these bytes.
    static func response(to bytes: [UInt8], from port: Int) -> [UInt8] {
        guard let server = try? connection(to: port) else { return [] }
        _ = write(server.number, bytes, bytes.count)
        var (response, piece) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while case let count = read(server.number, &piece, piece.count), count > 0 { response += piece[..<count] }
        return response
    }
}
