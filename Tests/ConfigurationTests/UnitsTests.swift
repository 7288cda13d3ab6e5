import Foundation
import Testing

/// The units that are shipped: what they let the programs do.
struct UnitsTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "deploy/systemd")
    private static let names = ["forgetmenot-gateway.service", "forgetmenot-gateway@.service", "forgetmenot.service"]
    private static let isSystemdHere = FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze")

    private func text(_ name: String) throws -> String {
        try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
    }

    /// What `systemd-analyze` prints; it runs nothing.
    private func analyze(_ words: String..., as name: String) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/systemd-analyze")
        process.arguments = words + [Self.folder.appending(path: name).path]
        process.environment = ["LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin", "SYSTEMD_COLORS": "0"]
        let pipe = Pipe()
        (process.standardOutput, process.standardError) = (pipe, pipe)
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    @Test(.enabled(if: isSystemdHere, "skipped: no systemd-analyze here"), arguments: names)
    func `a unit exposes 2.0 or less, and has no line that systemd does not know`(name: String) throws {
        // The threshold is in tenths: its status is not 0 where the exposure is above.
        let (status, output) = try analyze("security", "--offline=true", "--no-pager", "--threshold=20", as: name)
        #expect(status == 0 && output.contains("Overall exposure level"), "\(output)")
        #expect(!output.contains("ignoring") && !output.contains("Unknown"), "\(output)")
    }

    @Test(arguments: names)
    func `a unit is watched, reloaded, limited, and hands its secrets over`(name: String) throws {
        let text = try text(name)
        for line in [
            "Type=notify", "WatchdogSec=", "ExecReload=", "MemoryMax=", "LoadCredential=", "SetCredential=",
            "StateDirectory=",
            "SystemCallErrorNumber=EPERM", "RestartPreventExitStatus=64 66 78", "User=",
        ] {
            #expect(text.contains("\n" + line), "\(name) has no \(line)")
        }
    }

    @Test(arguments: names.prefix(2))
    func `the kernel's Bluetooth is not shut out`(name: String) throws {
        let text = try text(name)
        #expect(text.contains("AF_BLUETOOTH") && text.contains("AmbientCapabilities=CAP_NET_ADMIN CAP_NET_RAW"))
        for line in ["\nPrivateNetwork=", "\nPrivateUsers=", "\nProtectProc="] {
            #expect(!text.contains(line), "\(line)")
        }
    }
}
