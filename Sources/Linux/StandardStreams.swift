import Beacons
import Glibc
import Synchronization

// Nothing else in either program writes to standard output or standard error, and each text passes `printable` on its way: whoever names a
// room or a beacon commands no terminal.

/// Writes one line to standard output; returns whether somebody still reads. What is not printable in `text` is replaced.
@discardableResult
public func printLine(_ text: String) -> Bool { writeOutput(printable(text) + "\n") }

/// Writes one line, perhaps in colours, to standard output; returns whether somebody still reads.
@discardableResult
public func printLine(_ line: StyledLine) -> Bool { writeOutput(line.text + "\n") }

/// Writes a text of several lines to standard output.
public func printLines(_ text: String) {
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) { printLine(String(line)) }
}

/// Writes JSON and a line's end to standard output; returns whether somebody still reads.
///
/// What is not printable is written as JSON's `\uXXXX`, so that a reader gets every character and a terminal obeys none.
@discardableResult
public func printJSON(_ json: String) -> Bool { writeOutput(escaped(json: json) + "\n") }

/// Writes one JSON document and a line's end to standard output; returns whether somebody still reads.
@discardableResult
public func printJSON(_ json: [UInt8]) -> Bool { printJSON(String(decoding: json, as: UTF8.self)) }

/// Writes one line to standard error. What is not printable in `text` is replaced.
public func printError(_ text: String) {
    _ = write(all: printable(text) + "\n", to: STDERR_FILENO)
}

/// Writes a text of several lines to standard error; empty lines are left out.
public func printErrors(_ text: String) {
    for line in text.split(separator: "\n") { printError(String(line)) }
}

/// Writes `text` to standard output as it is; returns whether somebody still reads.
@discardableResult
func writeRaw(_ text: String) -> Bool { writeOutput(text) }

/// Writes `text` to standard error as it is.
func writeError(_ text: String) {
    _ = write(all: text, to: STDERR_FILENO)
}

/// What became of standard output: the error of the first write that failed.
private let outputError = Mutex<Int32?>(nil)

/// Whether nobody gets what is printed any more: the reader has gone, or a write has failed.
public var isOutputGone: Bool { outputError.withLock { $0 != nil } }

/// Why what was printed did not get out; `nil` if all of it did, or if its reader has closed the pipe, which is the reader's right.
public var outputFailure: SystemError? {
    guard let code = outputError.withLock({ $0 }), code != EPIPE else { return nil }
    return SystemError("write standard output", code: code)
}

/// Prepares the standard streams of a program, before it opens anything.
///
/// A stream that the caller closed becomes one that cannot be used: else the next socket or file would get its number, and the output with it.
/// A closed pipe is an error like others, and no signal.
public func prepareStandardStreams() {
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
        _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
    signal(SIGPIPE, SIG_IGN)
}

/// How many columns the terminal on standard output has; `nil` if there is none.
public func terminalWidth() -> Int? { terminalSize().map { $0.ws_col > 0 ? Int($0.ws_col) : 80 } }

/// How many rows the terminal on standard output has; `nil` if there is none.
func terminalHeight() -> Int? { terminalSize().map { $0.ws_row > 0 ? Int($0.ws_row) : 25 } }

private func terminalSize() -> winsize? {
    guard isatty(STDOUT_FILENO) == 1 else { return nil }
    var size = winsize()
    _ = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size)
    return size
}

private func writeOutput(_ text: String) -> Bool {
    guard !isOutputGone else { return false }
    guard let code = write(all: text, to: STDOUT_FILENO) else { return true }
    outputError.withLock { $0 = code }
    return false
}

/// Writes all of `text`; returns the error of the write that failed.
private func write(all text: String, to descriptor: Int32) -> Int32? {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress!, $0.count) }
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return count < 0 ? errno : EIO }
        bytes = bytes.dropFirst(count)
    }
    return nil
}

/// What is not printable in a JSON document stands in one of its strings; line ends stand between its elements.
private func escaped(json: String) -> String {
    guard !json.unicodeScalars.allSatisfy({ isPrintable($0) || $0 == "\n" }) else { return json }
    var result = String.UnicodeScalarView()
    for scalar in json.unicodeScalars {
        guard !isPrintable(scalar), scalar != "\n" else {
            result.append(scalar)
            continue
        }
        let digits = String(scalar.value, radix: 16)
        result.append(contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).unicodeScalars)
    }
    return String(result)
}

/// Whether standard error goes to systemd's journal.
public var isUnderSystemd: Bool { getenv("JOURNAL_STREAM") != nil }
