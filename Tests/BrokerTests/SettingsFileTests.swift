import Broker
import Glibc
import Settings
import Testing

/// Reading files that exist and files that do not.
struct SettingsFileTests {
    private func reason(of path: String) -> SettingsError? {
        do throws(SettingsError) {
            _ = try readSettings(at: path) { _ in true }
            return nil
        } catch {
            return error
        }
    }

    @Test func `a missing file is its own error`() {
        #expect(reason(of: "/nowhere/gateway.toml") == .noSuchFile("/nowhere/gateway.toml"))
        #expect(
            reason(of: "/dev/null/gateway.toml")?.description
                == "/dev/null/gateway.toml: no such file: name the configuration with --config FILE")
        #expect(reason(of: "") == .noSuchFile(""))
    }

    @Test func `a folder and a file without an end are unreadable`() {
        #expect(reason(of: "/tmp")?.description == "/tmp: cannot be read: it is a folder")
        #expect(reason(of: "/dev/zero")?.description == "/dev/zero: cannot be read: it is larger than 16 MiB")
    }

    @Test func `an empty file without required keys is valid`() {
        #expect(reason(of: "/dev/null") == nil)
    }

    @Test func `each problem of a file is one line`() throws {
        let path = "/tmp/forgetmenot-settings-\(getpid()).toml"
        let file = try #require(fopen(path, "w"))
        fputs("a = 1\nb = 2\n", file)
        fclose(file)
        defer { unlink(path) }
        #expect(
            reason(of: path)?.description
                == "\(path):1: a is not a known key: remove it\n\(path):2: b is not a known key: remove it")
    }
}
