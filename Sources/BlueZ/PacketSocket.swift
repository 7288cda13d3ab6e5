import CBlueZ
import CLinux
import Glibc
import Linux

/// A Bluetooth socket for packets that never blocks.
final class PacketSocket {
    private let descriptor: FileDescriptor
    private var lost: UInt32 = 0

    /// The descriptor that becomes readable when packets arrive or the socket breaks.
    var number: Int32 { descriptor.number }

    /// Opens the kernel's management channel: events of all adapters, and commands to them.
    static func management() throws(SystemError) -> PacketSocket {
        try PacketSocket(
            channel: UInt16(HCI_CHANNEL_CONTROL), index: UInt16(HCI_DEV_NONE), "open the management channel")
    }

    static func controller(_ channel: ControllerChannel, index: UInt16) throws(SystemError) -> PacketSocket {
        let number = channel == .user ? HCI_CHANNEL_USER : HCI_CHANNEL_RAW
        let socket = try PacketSocket(channel: UInt16(number), index: index, "open hci\(index)")
        switch channel {
        case .ask: try socket.filter([EVT_CMD_COMPLETE, EVT_CMD_STATUS])
        case .raw: try socket.filter([EVT_CMD_COMPLETE, EVT_CMD_STATUS, EVT_HARDWARE_ERROR, EVT_LE_META_EVENT])
        // All events are needed, because no other program receives them.
        case .user: break
        }
        return socket
    }

    /// Takes over a socket that is open, and never blocks.
    init(owning number: Int32) { descriptor = FileDescriptor(owning: number) }

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

    /// One report takes 768 bytes. 4 MiB hold 5,400 reports, one second of a very dense site; the default holds 277.
    private static func enlarge(_ number: Int32) {
        var size: Int32 = 4 << 20
        let length = socklen_t(MemoryLayout<Int32>.size)
        if setsockopt(number, SOL_SOCKET, SO_RCVBUFFORCE, &size, length) != 0 {
            // Without CAP_NET_ADMIN, the system's limit applies.
            setsockopt(number, SOL_SOCKET, SO_RCVBUF, &size, length)
        }
    }

    /// Restricts the socket to events of these kinds. Without CAP_NET_RAW the kernel silently removes more.
    private func filter(_ events: [Int32]) throws(SystemError) {
        var filter = hci_filter()
        hci_filter_set_ptype(HCI_EVENT_PKT, &filter)
        for event in events { hci_filter_set_event(event, &filter) }
        guard setsockopt(number, SOL_HCI, HCI_FILTER, &filter, socklen_t(MemoryLayout<hci_filter>.size)) == 0 else {
            throw SystemError.last("set the event filter")
        }
    }

    func send(_ packet: [UInt8]) throws(SystemError) {
        while write(number, packet, packet.count) < 0 {
            if errno != EINTR { throw SystemError.last("send to the adapter") }
        }
    }

    /// Passes every waiting packet to `handle`, at most 2048 per call so that timers run on time. A packet that exceeds
    /// `buffer` is cut.
    func drain(through buffer: PacketBuffer, _ handle: (RawSpan) -> Void) throws(SystemError) {
        for _ in 0..<64 {
            let count = buffer.receive(from: number, handle)
            if count < 0 {
                if errno == EINTR { continue }
                if errno == EAGAIN { return }
                throw SystemError.last("receive from the adapter")
            }
            if count < PacketBuffer.packets { return }
        }
    }

    /// The number of packets lost since the last call because the buffer was full (SO_MEMINFO, SK_MEMINFO_DROPS). The
    /// kernel's counter has 32 bits. The management channel carries the packets of all adapters, so an overflow also
    /// counts the losses of other adapters' monitors.
    func drainLost() -> UInt64 {
        var information = [UInt32](repeating: 0, count: 9)
        var length = socklen_t(information.count * MemoryLayout<UInt32>.size)
        guard getsockopt(number, SOL_SOCKET, SO_MEMINFO, &information, &length) == 0 else { return 0 }
        defer { lost = information[8] }
        return UInt64(information[8] &- lost)
    }
}

final class PacketBuffer {
    static let packets = Int(receive_batch_limit)
    /// A size above that of every relevant packet of the kernel.
    private static let stride = 2048
    private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: packets * stride, alignment: 16)
    private let lengths = UnsafeMutablePointer<UInt32>.allocate(capacity: packets)

    deinit {
        bytes.deallocate()
        lengths.deallocate()
    }

    /// Receives one batch from the socket `number`; returns the number of packets, or -1 with errno.
    fileprivate func receive(from number: Int32, _ handle: (RawSpan) -> Void) -> Int {
        let count = receive_batch(
            number, bytes.baseAddress!.assumingMemoryBound(to: UInt8.self), UInt32(Self.stride), UInt32(Self.packets),
            lengths)
        for packet in 0..<max(0, Int(count)) {
            let start = packet * Self.stride
            let whole = UnsafeRawBufferPointer(rebasing: bytes[start..<start + min(Int(lengths[packet]), Self.stride)])
            handle(whole.bytes)
        }
        return Int(count)
    }
}
