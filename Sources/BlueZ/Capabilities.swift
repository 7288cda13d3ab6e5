import Linux

/// The capabilities of a process that matter for Bluetooth.
package struct Capabilities: Hashable, Sendable {
    package var held: Set<Capability>

    package init(held: Set<Capability>) {
        self.held = held
    }

    /// The capabilities of this process (`CapEff` of /proc/self/status); none if that file is missing.
    package static var ofThisProcess: Capabilities {
        guard let status = try? readFile(at: "/proc/self/status", limit: 1 << 16) else { return Capabilities(held: []) }
        return Capabilities(status: String(decoding: status, as: UTF8.self))
    }

    /// The capabilities of another process; `nil` if it does not exist.
    package init?(ofProcess process: Int32) {
        guard let status = try? readFile(at: "/proc/\(process)/status", limit: 1 << 16) else { return nil }
        self.init(status: String(decoding: status, as: UTF8.self))
    }

    /// Reads the contents of `/proc/PID/status`.
    init(status: String) {
        let prefix = "CapEff:"
        let line = status.split(separator: "\n").first { $0.hasPrefix(prefix) }
        let digits = line?.dropFirst(prefix.count).drop { $0 == "\t" || $0 == " " } ?? ""
        let bits = UInt64(digits, radix: 16) ?? 0
        self.init(held: Set(Capability.allCases.filter { bits >> $0.rawValue & 1 != 0 }))
    }
}
