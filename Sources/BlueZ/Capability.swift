/// A process capability that Bluetooth requires (capabilities(7)).
package enum Capability: UInt64, Hashable, Sendable, CaseIterable {
    /// CAP_NET_ADMIN: the monitor, power, a large buffer, the user channel.
    case networkAdministration = 12
    /// CAP_NET_RAW: sending commands to the controller and receiving its events over the raw socket.
    case rawSockets = 13

    /// The name of the capability, such as `CAP_NET_ADMIN`.
    package var name: String {
        switch self {
        case .networkAdministration: "CAP_NET_ADMIN"
        case .rawSockets: "CAP_NET_RAW"
        }
    }

    /// A sentence that the capability is missing and how to grant it. The command names both, because `setcap` removes
    /// the others.
    package var missing: String {
        """
        \(name) is missing: AmbientCapabilities=CAP_NET_ADMIN CAP_NET_RAW in the systemd unit, \
        or `sudo setcap cap_net_admin,cap_net_raw+ep \(Self.program)`
        """
    }

    /// The path of this program's file.
    private static let program: String = linkTarget(of: "/proc/self/exe") ?? "FILE"
}
