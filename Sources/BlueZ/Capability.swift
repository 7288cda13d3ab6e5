/// A capability of the process that Bluetooth asks for (capabilities(7)).
public enum Capability: UInt64, Hashable, Sendable, CaseIterable {
    /// CAP_NET_ADMIN: the monitor, power, a large buffer, the user channel.
    case networkAdministration = 12
    /// CAP_NET_RAW: commanding and hearing the controller over the raw socket.
    case rawSockets = 13

    /// `CAP_NET_ADMIN`.
    public var name: String {
        switch self {
        case .networkAdministration: "CAP_NET_ADMIN"
        case .rawSockets: "CAP_NET_RAW"
        }
    }

    /// That it is missing, and how to grant it: always both, as `setcap` takes away what it does not name.
    public var missing: String {
        """
        \(name) is missing: AmbientCapabilities=CAP_NET_ADMIN CAP_NET_RAW in the systemd unit, \
        or `sudo setcap cap_net_admin,cap_net_raw+ep \(Self.program)`
        """
    }

    /// The file of this program.
    private static let program: String = linkTarget(of: "/proc/self/exe") ?? "FILE"
}
