import CBlueZ
import Glibc
import Linux
import Synchronization

/// A running reset. The call blocks for up to 10 s, so it has its own thread.
final class ControllerReset: Sendable {
    private let bell: Wakeup
    /// The number of the adapter.
    let index: UInt16
    private let result = Mutex<Outcome?>(nil)

    private init(index: UInt16) throws(SystemError) {
        bell = try Wakeup()
        self.index = index
    }

    /// Starts to reset the adapter with number `index`.
    static func begin(index: UInt16) throws(SystemError) -> ControllerReset {
        let reset = try ControllerReset(index: index)
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { context in
                let reset = Unmanaged<ControllerReset>.fromOpaque(context!).takeRetainedValue()
                reset.run()
                return nil
            }, Unmanaged.passRetained(reset).toOpaque())
        guard code == 0 else {
            Unmanaged.passUnretained(reset).release()
            throw SystemError("start a thread", code: code)
        }
        pthread_detach(thread)
        return reset
    }

    /// The descriptor that becomes readable when the reset is over.
    var number: Int32 { bell.number }

    /// The outcome of the reset; `nil` while it is running.
    var outcome: Outcome? { result.withLock { $0 } }

    private func run() {
        let outcome = reset()
        result.withLock { $0 = outcome }
        bell.ring()
    }

    private func reset() -> Outcome {
        let number = socket(AF_BLUETOOTH, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), BTPROTO_HCI)
        guard number >= 0 else { return .failed(errno) }
        let socket = FileDescriptor(owning: number)
        return hci_device_reset(socket.number, Int32(index)) == 0 ? .done([]) : .failed(errno)
    }
}
