import Glibc
import Synchronization

/// Work that may block, on a thread of its own.
package final class Background<Value: Sendable>: Sendable {
    private let bell: Wakeup
    private let value = Mutex<Value?>(nil)

    /// Begins the work.
    ///
    /// - Parameter name: the thread's name in `top -H` and in debuggers, of at most 15 bytes.
    package init(named name: String, _ work: @escaping @Sendable () -> Value) throws(SystemError) {
        bell = try Wakeup()
        let thread = try startThread(named: name) { [self] in
            let value = work()
            self.value.withLock { $0 = value }
            bell.ring()
        }
        pthread_detach(thread)
    }

    /// The descriptor that is readable once the work is over.
    package var number: Int32 { bell.number }

    /// What came of the work; `nil` while it lasts.
    package var outcome: Value? { value.withLock { $0 } }
}

/// Starts a thread that receives no signals.
///
/// - Parameter name: its name in `top -H` and in debuggers, of at most 15 bytes.
package func startThread(named name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) -> pthread_t {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    // The usual 8 MB per thread would count against a small board's limits.
    pthread_attr_setstacksize(&attributes, 1 << 20)
    var thread = pthread_t()
    let object = Unmanaged.passRetained(Body(name: name, run: body))
    let code = pthread_create(&thread, &attributes, run, object.toOpaque())
    guard code == 0 else {
        object.release()
        throw SystemError("start a thread", code: code)
    }
    return thread
}

private final class Body: Sendable {
    let name: String
    let run: @Sendable () -> Void

    init(name: String, run: @escaping @Sendable () -> Void) { (self.name, self.run) = (name, run) }
}

private let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { object in
    // The service handles its own signals. SIGPIPE must be blocked: OpenSSL, and libmosquitto before 2.0.15, may write
    // to a closed socket. With the signal blocked, the write only fails.
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, nil)
    let body = Unmanaged<Body>.fromOpaque(object!).takeRetainedValue()
    nameThread(body.name)
    body.run()
    return nil
}

// Glibc's own function for it is not imported.
private func nameThread(_ name: String) {
    guard let file = try? FileDescriptor(opening: "/proc/thread-self/comm", O_WRONLY) else { return }
    _ = write(file.number, name, name.utf8.count)
}
