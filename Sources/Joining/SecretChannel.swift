import Beacons
internal import CSSL
import Glibc
import Linux

/// A TLS 1.3 connection between two machines that know the same code. To everybody else it refuses itself.
///
/// The code is the pre-shared key (RFC 8446, 2.2), so that no certificate is needed. A key exchange comes on top (psk_dhe_ke): a code
/// that somebody finds later does not open a recording of the connection.
struct SecretChannel: ~Copyable {
    /// The connection is no secret channel to a machine with this code, or it ended early.
    struct Broken: Error {}

    enum End { case site, gateway }

    private let socket: FileDescriptor
    private let context: OpaquePointer
    private let connection: OpaquePointer
    private let key: UnsafeMutablePointer<UInt8>
    private let deadline: Instant

    /// Takes over a connected socket.
    init(_ end: End, over socket: consuming FileDescriptor, code: JoinCode, until deadline: Instant) {
        self.socket = socket
        self.deadline = deadline
        _ = fcntl(self.socket.number, F_SETFL, O_NONBLOCK)
        // Both are `nil` only without memory.
        context = SSL_CTX_new(end == .site ? TLS_server_method() : TLS_client_method())!
        connection = SSL_new(context)!
        key = .allocate(capacity: JoinCode.keyLength)
        key.initialize(from: code.key, count: JoinCode.keyLength)
        // Macros in C. The hash of a pre-shared key is SHA-256, and so the cipher's.
        SSL_ctrl(connection, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_3_VERSION), nil)
        SSL_set_ciphersuites(connection, "TLS_AES_128_GCM_SHA256")
        SSL_set_num_tickets(connection, 0)
        SSL_set_ex_data(connection, 0, key)
        SSL_set_fd(connection, self.socket.number)
        switch end {
        case .site:
            SSL_set_psk_server_callback(connection) { connection, _, key, _ in giveKey(of: connection, to: key) }
            SSL_set_accept_state(connection)
        case .gateway:
            SSL_set_psk_client_callback(connection) { connection, _, identity, _, key, _ in
                // Any name: there is only one key.
                identity?.pointee = CChar(bitPattern: UInt8(ascii: "g"))
                identity?.advanced(by: 1).pointee = 0
                return giveKey(of: connection, to: key)
            }
            // No certificate stands in for the code: there is none that would be trusted.
            SSL_set_verify(connection, SSL_VERIFY_PEER, nil)
            SSL_set_connect_state(connection)
        }
    }

    deinit {
        SSL_free(connection)
        SSL_CTX_free(context)
        OPENSSL_cleanse(key, JoinCode.keyLength)
        key.deallocate()
    }

    /// Proves to the other end that this one knows the code, and has it prove the same.
    func open() throws(Broken) {
        _ = try perform { SSL_do_handshake($0) }
        // A pre-shared key is only offered: this is how OpenSSL reports that it was used.
        guard SSL_session_reused(connection) == 1 else { throw Broken() }
    }

    /// Sends all bytes, and that there are no more.
    func send(_ bytes: [UInt8]) throws(Broken) {
        _ = try perform { SSL_write($0, bytes, Int32(bytes.count)) }
        SSL_shutdown(connection)
    }

    /// Receives everything up to the other end's last byte, at most `limit` bytes.
    func receive(limit: Int) throws(Broken) -> [UInt8] {
        var (bytes, piece) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while true {
            let count = try perform { SSL_read($0, &piece, Int32(piece.count)) }
            // An end without TLS's own farewell is not the end of the text.
            guard count > 0 else { return bytes }
            bytes += piece[..<Int(count)]
            guard bytes.count <= limit else { throw Broken() }
        }
    }

    /// Repeats a call of OpenSSL until it is done. The result is 0 after the other end's last byte.
    private func perform(_ call: (OpaquePointer) -> Int32) throws(Broken) -> Int32 {
        while true {
            ERR_clear_error()
            let result = call(connection)
            guard result <= 0 else { return result }
            switch SSL_get_error(connection, result) {
            case SSL_ERROR_ZERO_RETURN: return 0
            case SSL_ERROR_WANT_READ: _ = wait(for: [socket.number], until: deadline)
            case SSL_ERROR_WANT_WRITE: waitForWriting(on: socket.number, until: deadline)
            default: throw Broken()
            }
            guard Clock.now < deadline else { throw Broken() }
        }
    }
}

private func giveKey(of connection: OpaquePointer?, to target: UnsafeMutablePointer<UInt8>?) -> UInt32 {
    guard let key = SSL_get_ex_data(connection, 0), let target else { return 0 }
    memcpy(target, key, JoinCode.keyLength)
    return UInt32(JoinCode.keyLength)
}

/// Sleeps until the socket takes bytes or is connected, or the deadline has passed.
func waitForWriting(on socket: Int32, until deadline: Instant) {
    var entry = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
    poll(&entry, 1, Int32(clamping: max(0, (deadline - Clock.now).milliseconds + 1)))
}
