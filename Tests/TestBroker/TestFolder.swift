import Glibc
import Linux

/// A folder of its own under the system's temporary one, gone with the test.
package final class TestFolder {
    /// Its path.
    package let path: String

    /// Makes one, for this user alone.
    package init() throws(SystemError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/forgetmenot-broker-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError.last("make a folder in \(parent)") }
        path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    deinit {
        _ = try? Child(["rm", "-rf", path]).waitForEnd()
    }

    /// The path of a file in it.
    package func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file in it and returns its path.
    @discardableResult
    package func write(_ text: String, to name: String, mode: mode_t = 0o600) throws(SystemError) -> String {
        try replaceFile(at: path(name), with: Array(text.utf8), mode: mode)
        guard chmod(path(name), mode) == 0 else { throw SystemError.last("chmod \(path(name))") }
        return path(name)
    }

    /// Writes a shell's script that can be run, and returns its path.
    ///
    /// Another process makes the file. What this one has open for writing, the programs that other tests start hold open for a moment, and the
    /// kernel runs no such file.
    @discardableResult
    package func writeProgram(_ script: String, to name: String) throws -> String {
        let writes = "printf '#!/bin/sh\\n%s' \"$0\" > \"$1\" && chmod 700 \"$1\""
        guard try Child(["sh", "-c", writes, script, path(name)]).waitForEnd() == 0 else {
            throw TestBrokerError("cannot write \(path(name))")
        }
        return path(name)
    }
}
