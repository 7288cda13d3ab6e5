import Doctor
import Glibc
import Testing

@testable import GatewayService

/// What `doctor` makes of a state folder. It makes none.
struct StateFolderFindingTests {
    @Test func `a folder that is not there yet is right where it can be made, and is not made`() {
        let path = "/tmp/forgetmenot-\(UInt64.random(in: 0 ... .max))/state"
        let finding = Finding.stateFolder(path)
        #expect(finding.verdict == .passed && finding.sentence.hasPrefix("\(path) is made at the start"))
        #expect(access(path, F_OK) != 0)
    }

    @Test func `a state folder that is no folder fails, and the remedy is named`() {
        for path in ["/etc/hostname", "/etc/hostname/state"] {
            let finding = Finding.stateFolder(path)
            #expect(finding.verdict == .failed && finding.sentence.contains("`sudo"), "\(finding)")
        }
    }

    @Test func `a stopped gateway fails if a service should run it, and not if somebody starts it by hand`() {
        let service = Finding.stopped("/etc/forgetmenot/gateway.toml", unit: "forgetmenot-gateway.service")
        #expect(service.verdict == .failed && service.sentence.contains("systemctl start forgetmenot-gateway.service"))
        let own = Finding.stopped("gateway.toml", unit: nil)
        #expect(own.verdict == .skipped && own.sentence.contains("run --config gateway.toml"))
    }

    @Test func `a power supply that is too weak is a failure, and a machine that measures none has no such check`() {
        #expect(Finding.power(isUndervolted: nil) == nil)
        for (isUndervolted, verdict) in [(true, Finding.Verdict.failed), (false, .passed)] {
            #expect(Finding.power(isUndervolted: isUndervolted)?.verdict == verdict)
        }
    }
}
