import CBlueZ
import Glibc
import Linux

/// A running reset. The call blocks for up to 10 s.
struct ControllerReset {
    /// The number of the adapter.
    let index: UInt16
    /// The call. Its descriptor becomes readable when the reset is over.
    let work: Background<Outcome>

    init(index: UInt16) throws(SystemError) {
        self.index = index
        work = try Background(named: "reset") {
            let number = socket(AF_BLUETOOTH, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), BTPROTO_HCI)
            guard number >= 0 else { return .failed(errno) }
            let socket = FileDescriptor(owning: number)
            return hci_device_reset(socket.number, Int32(index)) == 0 ? .done([]) : .failed(errno)
        }
    }
}
