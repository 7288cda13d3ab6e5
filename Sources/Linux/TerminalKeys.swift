import Glibc

/// A key that scrolls a table, or leaves it.
package enum Key: Hashable, Sendable {
    case up, down, pageUp, pageDown, home, end, quit
}

/// The keys in the bytes of a terminal. A sequence of bytes may arrive in parts.
package struct KeyReader: Sendable {
    /// The begin of a sequence.
    private var sequence: [UInt8] = []

    package init() {}

    /// The keys that `bytes` complete. Other keys are skipped.
    package mutating func keys(in bytes: some Sequence<UInt8>) -> [Key] { bytes.compactMap { key(after: $0) } }

    private mutating func key(after byte: UInt8) -> Key? {
        let escape: UInt8 = 0x1B
        switch (sequence.count, byte) {
        case (_, escape): sequence = [byte]
        case (1, UInt8(ascii: "[")), (1, UInt8(ascii: "O")), (2..<8, UInt8(ascii: "0")...UInt8(ascii: "?")):
            sequence.append(byte)
        case (2..., _):
            let number = String(decoding: sequence.dropFirst(2), as: UTF8.self)
            sequence = []
            return Self.key(number, byte)
        default:
            sequence = []
            return [UInt8(ascii: " "): .pageDown, UInt8(ascii: "q"): .quit, UInt8(ascii: "Q"): .quit][byte]
        }
        return nil
    }

    /// The key of a sequence with this number and last byte, as the terminals that are in use send it (xterm, Linux, rxvt).
    private static func key(_ number: String, _ last: UInt8) -> Key? {
        switch (number, Character(Unicode.Scalar(last))) {
        case ("", "A"): .up
        case ("", "B"): .down
        case ("", "H"), ("1", "~"), ("7", "~"): .home
        case ("", "F"), ("4", "~"), ("8", "~"): .end
        case ("5", "~"): .pageUp
        case ("6", "~"): .pageDown
        default: nil
        }
    }
}

/// Reads single keys from the process's terminal, and the signals after which a terminal has to be restored.
final class TerminalKeys {
    private let terminal: FileDescriptor
    private let signals: Signals
    private let settings: termios
    private var reader = KeyReader()
    /// Whether keys are read: not while the process is in the background, where a read would stop it.
    private(set) var areRead = false

    /// `nil` if the process has no terminal. Call this before the first thread starts.
    init?() {
        var settings = termios()
        guard let terminal = try? FileDescriptor(opening: "/dev/tty", O_RDWR | O_NONBLOCK),
            tcgetattr(terminal.number, &settings) == 0,
            let signals = try? Signals([SIGTSTP, SIGCONT, SIGQUIT, SIGHUP])
        else { return nil }
        self.terminal = terminal
        self.settings = settings
        self.signals = signals
        begin()
    }

    var inputs: [Int32] { [signals.number] + (areRead ? [terminal.number] : []) }

    func signal() -> Int32? { signals.next() }

    /// Reads keys without showing them, if the process is in the foreground.
    func begin() {
        areRead = tcgetpgrp(terminal.number) == getpgrp()
        guard areRead else { return }
        var raw = settings
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(terminal.number, TCSANOW, &raw)
    }

    /// Restores the settings of the terminal.
    func end() {
        guard areRead else { return }
        areRead = false
        var former = settings
        tcsetattr(terminal.number, TCSANOW, &former)
    }

    func typed() -> [Key] {
        guard areRead else { return [] }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(terminal.number, &bytes, bytes.count)
        // A closed terminal is readable, and has nothing.
        guard count != 0, count > 0 || errno == EAGAIN || errno == EINTR else { return [.quit] }
        return reader.keys(in: bytes.prefix(max(0, count)))
    }
}
