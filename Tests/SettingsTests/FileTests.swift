import Glibc
import Settings
import Testing

/// Files that are there, or not.
struct FileTests {
    private func reason(of path: String) -> SettingsError? {
        do throws(SettingsError) {
            _ = try readSettings(at: path) { _ in true }
            return nil
        } catch {
            return error
        }
    }

    @Test func `no such file is a case of its own`() {
        #expect(reason(of: "/nowhere/gateway.toml") == .noSuchFile("/nowhere/gateway.toml"))
        #expect(reason(of: "/dev/null/gateway.toml")?.description == "/dev/null/gateway.toml: no such file")
        #expect(reason(of: "") == .noSuchFile(""))
    }

    @Test func `a folder, and what has no end, cannot be read`() {
        #expect(reason(of: "/tmp")?.description == "/tmp: cannot be read: it is a folder")
        #expect(reason(of: "/dev/zero")?.description == "/dev/zero: cannot be read: it is larger than 16 MiB")
    }

    @Test func `an empty file is right where nothing is required`() {
        #expect(reason(of: "/dev/null") == nil)
    }

    @Test func `the problems of a file are one line each`() throws {
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
