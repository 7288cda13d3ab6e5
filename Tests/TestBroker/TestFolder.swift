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
}
