import Beacons
import CBlueZ
import Linux

/// A device that was paired and has given its identity resolving key: the kernel's event New Identity Resolving Key (mgmt-api.txt, 0x0018).
///
/// The event is no case of `ManagementEvent`, so that no key reaches the service.
package struct PairedDevice: Hashable, Sendable, CustomStringConvertible {
    /// The device's permanent address.
    package let address: DeviceAddress
    /// The 16 bytes of the key. They are a secret.
    package let key: [UInt8]

    /// Reads a packet of the management channel; `nil` for another event, another adapter, and a packet that is cut.
    ///
    ///       0         6            7                13        19     20    36
    ///     +---------+------------+----------------+---------+------+-----+
    ///     | header  | store hint | random address | address | type | key |     type: 1 LE public, 2 LE random
    ///     +---------+------------+----------------+---------+------+-----+
    init?(_ packet: RawSpan, adapter index: UInt16) {
        guard packet.byteCount >= 36, packet.littleEndian(at: 0, as: UInt16.self) == 0x0018,
            packet.littleEndian(at: 2, as: UInt16.self) == index,
            packet.littleEndian(at: 4, as: UInt16.self) >= 30
        else { return nil }
        address = DeviceAddress(packet, at: 13, kind: packet.byte(at: 19) == 2 ? .random : .public)
        key = packet.extracting(20..<36).withUnsafeBytes(Array.init)
    }

    /// The address, without the key.
    package var description: String { "\(address)" }
}

/// Receives the keys of the devices that any program pairs with an adapter. Needs CAP_NET_ADMIN.
package final class PairingListener {
    private let socket: PacketSocket
    private let index: UInt16
    private let buffer = PacketBuffer()

    /// Receives from now on what happens at the adapter with number `index`.
    package init(adapter index: UInt16) throws(SystemError) {
        socket = try .management()
        self.index = index
    }

    /// Reads packets from an open socket instead of the kernel's management channel, and closes it at the end.
    package init(adapter index: UInt16, owning number: Int32) {
        socket = PacketSocket(owning: number)
        self.index = index
    }

    /// The descriptor that becomes readable when something has happened.
    package var number: Int32 { socket.number }

    /// The device that was paired last since the last call.
    package func next() throws(SystemError) -> PairedDevice? {
        var device: PairedDevice?
        try socket.drain(through: buffer) { device = PairedDevice($0, adapter: index) ?? device }
        return device
    }
}
