import Doctor
import Glibc
import Testing

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
}
