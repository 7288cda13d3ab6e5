import Beacons
import CBlueZ
import CLinux
import Glibc
import Linux

/// A Bluetooth socket that carries whole packets, and is never waited for.
final class PacketSocket {
    private let descriptor: FileDescriptor
    private var lost: UInt32 = 0

    /// What becomes readable when packets came, or it broke.
    var number: Int32 { descriptor.number }

    /// The kernel's management channel: events of all adapters, and commands to them.
    static func management() throws(SystemError) -> PacketSocket {
        try PacketSocket(
            channel: UInt16(HCI_CHANNEL_CONTROL), index: UInt16(HCI_DEV_NONE), "open the management channel")
    }

    /// A socket to the controller of the adapter numbered `index`.
    static func controller(_ channel: ControllerChannel, index: UInt16) throws(SystemError) -> PacketSocket {
        let number = channel == .user ? HCI_CHANNEL_USER : HCI_CHANNEL_RAW
        let socket = try PacketSocket(channel: UInt16(number), index: index, "open hci\(index)")
        switch channel {
        case .ask: try socket.filter([EVT_CMD_COMPLETE, EVT_CMD_STATUS])
        case .raw: try socket.filter([EVT_CMD_COMPLETE, EVT_CMD_STATUS, EVT_HARDWARE_ERROR, EVT_LE_META_EVENT])
        // Everything comes, as nobody else is there to take it.
        case .user: break
        }
        return socket
    }

    private init(channel: UInt16, index: UInt16, _ action: String) throws(SystemError) {
        let kind = SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let number = socket(AF_BLUETOOTH, Int32(kind), BTPROTO_HCI)
        guard number >= 0 else { throw SystemError.last(action) }
        descriptor = FileDescriptor(owning: number)
        Self.enlarge(number)
        var address = sockaddr_hci(hci_family: sa_family_t(AF_BLUETOOTH), hci_dev: index, hci_channel: channel)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, socklen_t(MemoryLayout<sockaddr_hci>.size))
            }
        }
        guard bound == 0 else { throw SystemError.last(action) }
    }

    /// One report takes 768 bytes of it: 4 MiB hold 5,400, one second of the densest hall, where the default holds 277.
    private static func enlarge(_ number: Int32) {
        var size: Int32 = 4 << 20
        let length = socklen_t(MemoryLayout<Int32>.size)
        if setsockopt(number, SOL_SOCKET, SO_RCVBUFFORCE, &size, length) != 0 {
            // Without CAP_NET_ADMIN as much as the system lets everybody have.
            setsockopt(number, SOL_SOCKET, SO_RCVBUF, &size, length)
        }
    }

    /// Only events of these kinds come; without CAP_NET_RAW the kernel silently takes more away.
    private func filter(_ events: [Int32]) throws(SystemError) {
        var filter = hci_filter()
        hci_filter_set_ptype(HCI_EVENT_PKT, &filter)
        for event in events { hci_filter_set_event(event, &filter) }
        guard setsockopt(number, SOL_HCI, HCI_FILTER, &filter, socklen_t(MemoryLayout<hci_filter>.size)) == 0 else {
            throw SystemError.last("choose events")
        }
    }

    /// Sends one packet.
    func send(_ packet: [UInt8]) throws(SystemError) {
        while write(number, packet, packet.count) < 0 {
            if errno != EINTR { throw SystemError.last("command the adapter") }
        }
    }

    /// Hands every packet that waits to `take`, at most 2048 at once so that timers get their turn; one that `buffer` is too short for is cut.
    func drain(through buffer: PacketBuffer, _ take: (RawSpan) -> Void) throws(SystemError) {
        for _ in 0..<64 {
            let count = buffer.receive(from: number, take)
            if count < 0 {
                if errno == EINTR { continue }
                if errno == EAGAIN { return }
                throw SystemError.last("hear the adapter")
            }
            if count < PacketBuffer.packets { return }
        }
    }

    /// How many packets were lost since the last time, as the buffer was full (SO_MEMINFO, SK_MEMINFO_DROPS). The kernel's counter has 32 bits.
    /// The management channel carries what every adapter of the machine hears: while one overflows, what another's monitor heard is lost and counted too.
    func takeLost() -> UInt64 {
        var information = [UInt32](repeating: 0, count: 9)
        var length = socklen_t(information.count * MemoryLayout<UInt32>.size)
        guard getsockopt(number, SOL_SOCKET, SO_MEMINFO, &information, &length) == 0 else { return 0 }
        defer { lost = information[8] }
        return UInt64(information[8] &- lost)
    }
}

/// Room for a batch of packets.
final class PacketBuffer {
    /// How many packets it takes at once.
    static let packets = Int(receive_batch_limit)
    /// More than any packet of the kernel's that matters here has.
    private static let stride = 2048
    private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: packets * stride, alignment: 16)
    private let lengths = UnsafeMutablePointer<UInt32>.allocate(capacity: packets)

    deinit {
        bytes.deallocate()
        lengths.deallocate()
    }

    /// Takes one batch from the socket `number`; returns how many packets it had, or -1 with errno.
    fileprivate func receive(from number: Int32, _ take: (RawSpan) -> Void) -> Int {
        let count = receive_batch(
            number, bytes.baseAddress!.assumingMemoryBound(to: UInt8.self), UInt32(Self.stride), UInt32(Self.packets),
            lengths)
        for packet in 0..<max(0, Int(count)) {
            let start = packet * Self.stride
            let whole = UnsafeRawBufferPointer(rebasing: bytes[start..<start + min(Int(lengths[packet]), Self.stride)])
            take(whole.bytes)
        }
        return Int(count)
    }
}
