import Beacons
import Glibc
import Synchronization

// Both programs write to standard output and standard error only through this file. Each text passes `printable`, so
// that the name of a room or a beacon cannot control the terminal.

/// Writes one line to standard output with unprintable characters replaced; returns whether the output still has a
/// reader.
@discardableResult
package func printLine(_ text: String) -> Bool { writeOutput(printable(text) + "\n") }

/// Writes one line, with colours if any, to standard output; returns whether the output still has a reader.
@discardableResult
package func printLine(_ line: StyledLine) -> Bool { writeOutput(line.text + "\n") }

package func printLines(_ text: String) {
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) { printLine(String(line)) }
}

/// Writes JSON and a newline to standard output; returns whether the output still has a reader.
///
/// Unprintable characters are written as JSON's `\uXXXX`. A reader gets every character, and a terminal interprets
/// none.
@discardableResult
package func printJSON(_ json: String) -> Bool { writeOutput(escaped(json: json) + "\n") }

/// Writes one JSON document and a newline to standard output; returns whether the output still has a reader.
@discardableResult
package func printJSON(_ json: [UInt8]) -> Bool { printJSON(String(decoding: json, as: UTF8.self)) }

/// Writes one line to standard error with unprintable characters replaced.
package func printError(_ text: String) {
    _ = write(all: printable(text) + "\n", to: STDERR_FILENO)
}

/// Writes a text of several lines to standard error without empty lines.
package func printErrors(_ text: String) {
    for line in text.split(separator: "\n") { printError(String(line)) }
}

/// Writes `text` to standard output unchanged; returns whether the output still has a reader.
@discardableResult
func writeRaw(_ text: String) -> Bool { writeOutput(text) }

func writeError(_ text: String) {
    _ = write(all: text, to: STDERR_FILENO)
}

/// The error of the first failed write to standard output.
private let outputError = Mutex<Int32?>(nil)

/// Whether standard output is lost: its reader has closed it, or a write has failed.
package var isOutputGone: Bool { outputError.withLock { $0 != nil } }

/// Why the output is incomplete; `nil` if all of it was written, or if the reader closed the pipe, which readers may
/// do.
package var outputFailure: SystemError? {
    guard let code = outputError.withLock({ $0 }), code != EPIPE else { return nil }
    return SystemError("write standard output", code: code)
}

/// Prepares the standard streams. Call this before the program opens anything.
///
/// A stream that the caller closed is replaced with an unusable one. Otherwise the next socket or file would get its
/// number and receive the output. A closed pipe causes an error instead of a signal.
package func prepareStandardStreams() {
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
        _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
    signal(SIGPIPE, SIG_IGN)
}

/// The number of columns of the terminal on standard output; `nil` if standard output is no terminal.
package func terminalWidth() -> Int? { terminalSize().map { $0.ws_col > 0 ? Int($0.ws_col) : 80 } }

/// The number of rows of the terminal on standard output; `nil` if standard output is no terminal.
package func terminalHeight() -> Int? { terminalSize().map { $0.ws_row > 0 ? Int($0.ws_row) : 25 } }

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

/// Writes all of `text`; returns the error of the failed write, if any.
private func write(all text: String, to descriptor: Int32) -> Int32? {
    do throws(PartialWrite) { try writeAll(Array(text.utf8), to: descriptor) } catch { return error.code }
    return nil
}

/// In a JSON document, unprintable characters are only within strings, and newlines only between elements.
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

/// Whether systemd collects standard error.
package var isUnderSystemd: Bool { getenv("JOURNAL_STREAM") != nil }
