import Glibc
import Simulation
import TestBroker
import Testing

/// What of `transmit` needs no adapter; the rest is proven in the virtual machine.
struct TransmitTests {
    private static let beacon = ["--uuid", "\(House.uuid)", "--major", "100", "--minor", "1"]
    /// No adapter has it: it is documentation's own (RFC 7042).
    static let nobody = "00:00:5E:00:53:01"

    private func transmit(_ words: String...) throws -> Ended {
        try RunningProgram([Program.gateway.path, "transmit"] + Self.beacon + words).ended()
    }

    @Test(arguments: [[], ["--measured-power", "-70"], ["--measured-power=-70", "--interval", "1s"]])
    func `an adapter that is not there is one line, and 69`(words: [String]) throws {
        let end = try RunningProgram(
            [Program.gateway.path, "transmit"] + Self.beacon + ["--adapter", Self.nobody] + words
        ).ended()
        #expect(end.status == 69 && end.output.isEmpty && end.errorLines.count == 1, "\(end)")
    }

    @Test(arguments: [
        ["--measured-power", "0"], ["--measured-power", "-129"], ["--interval", "19ms"], ["--interval", "100"],
        ["--adapter", "eth0"], ["--major", "65536"], ["--minor", "70000"], ["--uuid", "kitchen"],
    ])
    func `transmit refuses an impossible beacon in one line, with status 64`(words: [String]) throws {
        let end = try RunningProgram([Program.gateway.path, "transmit"] + Self.beacon + words).ended()
        #expect(end.status == 64 && end.output.isEmpty && end.errorLines.count == 1, "\(end)")
        #expect(words.dropFirst().allSatisfy { end.errors.contains($0) }, "\(end)")
    }

    @Test func `a configuration without an adapter is one line, and 69`() throws {
        let folder = try TestFolder()
        let file = try folder.write("[radio]\nsource = \"simulation\"\n", to: "gateway.toml")
        let end = try transmit("--config", file)
        #expect(end.status == 69 && end.output.isEmpty && end.errorLines.count == 1, "\(end)")
        #expect(end.errors.contains("--adapter"))
    }

    @Test(.enabled(if: TestBroker.isInstalled, "skipped: no mosquitto here"))
    func `a gateway that cannot send its configured beacon reports that in its info`() throws {
        let site = try Site()
        let observer = try Observer(site.broker)
        let gateway = try site.startGateway(
            "kitchen", room: "Kitchen", more: "[beacon]\nuuid = \"\(House.uuid)\"\nmajor = 100\n")
        try observer.wait(for: "a problem in info") {
            observer.seen.contains {
                $0.topic.hasSuffix("kitchen/info")
                    && String(decoding: $0.payload, as: UTF8.self).contains("the beacon is not sent")
            }
        }
        #expect(try gateway.ended(by: SIGTERM).status == 0)
    }
}
