import Linux

/// What this process may do, of what Bluetooth asks for.
public struct Capabilities: Hashable, Sendable {
    /// Those that are in force now.
    public var held: Set<Capability>

    /// Those of `held`.
    public init(held: Set<Capability>) {
        self.held = held
    }

    /// What the kernel says of this process (`CapEff` of /proc/self/status); none where it says nothing.
    public static var ofThisProcess: Capabilities {
        guard let status = try? readFile(at: "/proc/self/status", limit: 1 << 16) else { return Capabilities(held: []) }
        return Capabilities(status: String(decoding: status, as: UTF8.self))
    }

    /// What the kernel says of another process; `nil` where there is none of that number.
    public init?(ofProcess process: Int32) {
        guard let status = try? readFile(at: "/proc/\(process)/status", limit: 1 << 16) else { return nil }
        self.init(status: String(decoding: status, as: UTF8.self))
    }

    /// Reads the contents of a `/proc/PID/status`.
    init(status: String) {
        let prefix = "CapEff:"
        let line = status.split(separator: "\n").first { $0.hasPrefix(prefix) }
        let digits = line?.dropFirst(prefix.count).drop { $0 == "\t" || $0 == " " } ?? ""
        let bits = UInt64(digits, radix: 16) ?? 0
        self.init(held: Set(Capability.allCases.filter { bits >> $0.rawValue & 1 != 0 }))
    }
}
