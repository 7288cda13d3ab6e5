import Beacons
import Glibc
import Linux
import TestBroker
import Testing

@testable import BlueZ
@testable import GatewayService

/// `enroll`, with a script in the place of bluetoothctl and a socket in that of the kernel.
@Suite("A phone that is enrolled")
struct EnrollTests {
    private static let phone = "C0:11:22:33:44:51"
    private static let key = [UInt8](1...16)
    private static let event: [UInt8] =
        [0x18, 0, 1, 0, 30, 0, 1, 0xAA, 0xFB, 0x0D, 0x94, 0x81, 0x70, 0x51, 0x44, 0x33, 0x22, 0x11, 0xC0, 1] + key
    private static let device = PairedDevice(event.span.bytes, adapter: 1)!

    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    // MARK: Pairing

    /// Writes what is typed into a file, and responds as bluetoothctl 5.66 does. `then` is what it does when it is visible.
    private func program(then: String) throws -> String {
        try folder.writeProgram(
            """
            echo 'Agent registered'
            while read -r line; do
                echo "$line" >>'\(folder.path("typed"))'
                case $line in
                    'discoverable on') \(then) ;;
                    'discoverable off') echo 'Changing discoverable off succeeded' ;;
                    remove*) echo 'Device has been removed' ;;
                    quit) exit ;;
                esac
            done
            """, to: "bluetoothctl")
    }

    private var typed: [String] {
        get throws {
            String(decoding: try readFile(at: folder.path("typed")), as: UTF8.self).split(separator: "\n").map(
                String.init)
        }
    }

    private static let beginning = [
        "select B8:27:EB:00:00:01", "power on", "system-alias Forgetmenot", "pairable on", "discoverable on",
    ]
    private static let end = ["select B8:27:EB:00:00:01", "pairable off", "reset-alias", "discoverable off"]

    /// Pairs. These packets wait on the socket, and with `signal` a signal has arrived.
    private func pair(
        _ program: String, packets: [[UInt8]] = [], signal: Bool = false
    ) throws -> Result<PairedDevice, Pairing.Problem> {
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        defer { close(ends[1]) }
        for packet in packets { #expect(write(ends[1], packet, packet.count) == packet.count) }
        let signals = try Signals([SIGUSR2])
        // To this thread alone: it blocks the signal, and others do not.
        if signal { pthread_kill(pthread_self(), SIGUSR2) }
        let adapter = try #require(DeviceAddress("B8:27:EB:00:00:01", kind: .public))
        return try Pairing(adapter: adapter, program: program, patience: .seconds(1)).device(
            PairingListener(adapter: 1, owning: ends[0]), signals)
    }

    @Test func `is removed again once it has given its key, twice`() throws {
        let program = try program(then: "echo '[CHG] Device \(Self.phone) Paired: yes'")
        for round in 1...2 {
            #expect(try pair(program, packets: [Self.event]) == .success(Self.device))
            let all = Self.beginning + Self.end + ["remove \(Self.phone)", "quit"]
            #expect(try typed == Array(repeating: all, count: round).joined() + [])
        }
    }

    @Test func `is confirmed, and removed though it gives no key in time`() throws {
        let program = try program(
            then:
                "printf 'Confirm passkey 123456 (yes/no): '; read -r line; echo \"Device \(Self.phone) Paired: $line\"")
        #expect(try pair(program) == .failure(.tooLate))
        // The script has read the confirmation itself.
        #expect(try typed == Self.beginning + Self.end + ["remove \(Self.phone)", "quit"])
    }

    @Test func `leaves nothing behind if it is interrupted, or bluetoothctl ends`() throws {
        #expect(try pair(program(then: ":"), signal: true) == .failure(.interrupted))
        #expect(try typed == Self.beginning + Self.end + ["quit"])
        #expect(try pair(program(then: "exit 1")) == .failure(.ended))
        let all = Self.beginning + Self.end + ["quit"]
        #expect(try typed == all + all, "another bluetoothctl cleans up")
    }

    @Test func `is removed although it paired only while the machine became invisible, twice`() throws {
        let path = try program(then: ":")
        let script = try text("bluetoothctl").replacing(
            "'discoverable off') ", with: "'discoverable off') echo '[CHG] Device \(Self.phone) Paired: yes'; ")
        try folder.writeProgram(script, to: "bluetoothctl")
        for round in 1...2 {
            #expect(try pair(path) == .failure(.tooLate))
            let all = Self.beginning + Self.end + ["remove \(Self.phone)", "quit"]
            #expect(try typed == Array(repeating: all, count: round).joined() + [])
        }
    }

    @Test func `is asked for in vain without bluetoothctl, in one sentence`() {
        let error = #expect(throws: SystemError.self) { try pair("bluetoothctl-that-is-not-there") }
        #expect(error.map { "\($0)" }?.hasSuffix("it is not installed: install the package bluez") == true)
    }

    // MARK: The files

    private func text(_ name: String) throws -> String {
        String(decoding: try readFile(at: folder.path(name)), as: UTF8.self)
    }

    @Test func `is in the file of keys, which the configuration names, and so is the second one`() throws {
        let path = try folder.write("id = \"hall\"\n[radio]\n# Ours\nsource = \"bluez:hci1\"\n", to: "gateway.toml")
        #expect(try Enrolment("Anna's phone", by: path).finish(.success(Self.device)) == .right)
        let named = "id = \"hall\"\n[radio]\n# Ours\nsource = \"bluez:hci1\"\nidentity_keys_file = \"identity.keys\"\n"
        #expect(try text("gateway.toml") == named)
        let first = "0102030405060708090a0b0c0d0e0f10 Anna's phone\n"
        #expect(try text("identity.keys") == first)
        var status = stat()
        #expect(stat(folder.path("identity.keys"), &status) == 0 && status.st_mode & 0o777 == 0o600)

        var other = Self.event
        other[20] = 0xFF
        let second = PairedDevice(other.span.bytes, adapter: 1)
        #expect(try Enrolment("Ben's", by: path).finish(.success(try #require(second))) == .right)
        #expect(try text("identity.keys") == first + "ff02030405060708090a0b0c0d0e0f10 Ben's\n")
        #expect(try text("gateway.toml") == named)
        // The first one again, also by the configuration of another adapter.
        let another = try folder.write("id = \"attic\"\n", to: "another.toml")
        for configuration in [path, another] {
            #expect(try Enrolment("Anna", by: configuration).finish(.success(Self.device)) == .right)
            #expect(try text("identity.keys") == first + "ff02030405060708090a0b0c0d0e0f10 Ben's\n")
        }
        #expect(try text("another.toml").contains("identity_keys_file = \"identity.keys\""))
    }

    @Test func `is asked for only if its name and the files are right`() throws {
        #expect(throws: Failure.self) { try Enrolment("Anna's", by: folder.path("absent.toml")) }
        let path = try folder.write("id = \"hall\"\n", to: "gateway.toml")
        #expect(throws: Failure.self) { try Enrolment("", by: path) }
        chmod(try folder.write("# Ours\n", to: "identity.keys"), 0o644)
        #expect(throws: Failure.self) { try Enrolment("Anna's", by: path) }
        #expect(chmod(folder.path("identity.keys"), 0o600) == 0)
        let enrolment = try Enrolment("Anna's", by: path)
        for problem in [Pairing.Problem.interrupted, .tooLate, .ended] {
            #expect(throws: Failure.self) { try enrolment.finish(.failure(problem)) }
        }
        #expect(try text("identity.keys") == "# Ours\n" && text("gateway.toml") == "id = \"hall\"\n")
    }
}
