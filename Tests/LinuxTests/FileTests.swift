import Glibc
import Linux
import Testing

@Suite("Reading and replacing files")
struct FileTests {
    /// The type of a file in a folder and the target of a link, without following the link.
    private func kind(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : 0
    }

    private func text(_ path: String) throws -> String { String(decoding: try readFile(at: path), as: UTF8.self) }

    @Test func `a named file is replaced at the end of its links, and the links stay`() throws {
        try withTemporaryFolder { folder in
            try StateFolder(path: folder + "/far").make()
            try replaceFile(at: folder + "/far/file", with: Array("old".utf8))
            #expect(symlink("far/file", folder + "/link") == 0 && symlink(folder + "/link", folder + "/second") == 0)
            try replaceNamedFile(at: folder + "/second", with: Array("new".utf8))
            #expect(try text(folder + "/far/file") == "new")
            #expect([folder + "/link", folder + "/second"].allSatisfy { kind($0) == S_IFLNK })
            #expect(try StateFolder(path: folder + "/far").entries() == ["file"])
        }
    }

    @Test func `a dangling link leads to the new file afterwards`() throws {
        try withTemporaryFolder { folder in
            #expect(symlink("absent", folder + "/link") == 0)
            try replaceNamedFile(at: folder + "/link", with: [1])
            #expect(kind(folder + "/link") == S_IFLNK && kind(folder + "/absent") == S_IFREG)
        }
    }

    @Test func `a circle of links is refused`() throws {
        try withTemporaryFolder { folder in
            #expect(symlink("b", folder + "/a") == 0 && symlink("a", folder + "/b") == 0)
            let error = #expect(throws: SystemError.self) { try replaceNamedFile(at: folder + "/a", with: []) }
            #expect(error?.code == ELOOP)
        }
    }

    @Test func `a named file keeps its permissions`() throws {
        try withTemporaryFolder { folder in
            try replaceFile(at: folder + "/file", with: [], mode: 0o640)
            #expect(chmod(folder + "/file", 0o640) == 0)
            try replaceNamedFile(at: folder + "/file", with: [1])
            var status = stat()
            #expect(stat(folder + "/file", &status) == 0 && status.st_mode & 0o777 == 0o640)
        }
    }

    @Test func `a pipe is refused under any of its paths and stays a pipe`() throws {
        try withTemporaryFolder { folder in
            let pipe = folder + "/pipe"
            #expect(mkfifo(pipe, 0o600) == 0 && symlink("pipe", folder + "/link") == 0)
            for path in [pipe, folder + "/link"] {
                let error = #expect(throws: SystemError.self) { try replaceNamedFile(at: path, with: []) }
                #expect(error?.description.hasSuffix("and a file is needed") == true, "\(String(describing: error))")
            }
            #expect(throws: SystemError.self) { try replaceFile(at: pipe, with: []) }
            #expect(kind(pipe) == S_IFIFO)
            let names = try StateFolder(path: folder).entries()
            #expect(names.sorted() == ["link", "pipe"])
        }
    }

    @Test func `a folder is refused as a file`() throws {
        try withTemporaryFolder { folder in
            try StateFolder(path: folder + "/inner").make()
            for replace in [replaceFile, replaceNamedFile] {
                let error = #expect(throws: SystemError.self) { try replace(folder + "/inner", [], 0o600) }
                #expect(error?.reason == "it is a folder")
            }
        }
    }

    @Test func `a link in place of a program's own file is replaced, and its target stays`() throws {
        try withTemporaryFolder { folder in
            try replaceFile(at: folder + "/victim", with: Array("mine".utf8))
            // One link at the file's name, and one at a predictable temporary name.
            #expect(symlink("victim", folder + "/file") == 0 && symlink("victim", folder + "/file.new") == 0)
            try replaceFile(at: folder + "/file", with: [1])
            #expect(try text(folder + "/victim") == "mine" && kind(folder + "/file") == S_IFREG)
        }
    }

    @Test func `a writer deletes the leftovers of crashed writers, but not the files of active writers`() throws {
        try withTemporaryFolder { folder in
            let left = folder + "/.forgetmenot-1.new"
            try replaceFile(at: left, with: [1])
            #expect(symlink("elsewhere", folder + "/.forgetmenot-2.new") == 0)
            let other = try StagedFile([2], for: folder + "/other")
            try replaceFile(at: folder + "/file", with: [3])
            #expect(kind(left) == 0)
            try other.commit()
            #expect(try readFile(at: folder + "/other") == [2])
            #expect(
                try StateFolder(path: folder).entries().sorted() == [".forgetmenot-2.new", "file", "other"])
        }
    }

    @Test func `a staged file that is not committed leaves nothing behind`() throws {
        try withTemporaryFolder { folder in
            do {
                let staged = try StagedFile([1], for: folder + "/file")
                withExtendedLifetime(staged) {}
            }
            #expect(try StateFolder(path: folder).entries().isEmpty)
        }
    }

    @Test func `a pipe in place of a program's own file does not block the reader`() throws {
        try withTemporaryFolder { folder in
            #expect(mkfifo(folder + "/pipe", 0o600) == 0)
            let error = #expect(throws: SystemError.self) { try readFile(at: folder + "/pipe") }
            #expect(error?.description == "cannot read \(folder)/pipe: it is a pipe, and a file is needed")
        }
    }

    @Test func `a named pipe is read to its end`() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { close(ends[0]) }
        #expect(write(ends[1], "hello", 5) == 5)
        close(ends[1])
        #expect(try readInput(at: "/proc/self/fd/\(ends[0])") == Array("hello".utf8))
    }

    @Test func `a descriptor of this process is written to, and its file is not replaced`()
        throws
    {
        try withTemporaryFolder { folder in
            let number = open(folder + "/file", O_RDWR | O_CREAT | O_APPEND, 0o600)
            defer { close(number) }
            #expect(number >= 0 && write(number, "before ", 7) == 7)
            #expect(symlink("/proc/self/fd/\(number)", folder + "/output") == 0)
            try writeOutput(to: folder + "/output", Array("after".utf8))
            #expect(try text(folder + "/file") == "before after")
            #expect(kind(folder + "/output") == S_IFLNK)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "skipped: root alone makes devices"))
    func `a device is written to, stays a device, and is refused as a file`() throws {
        try withTemporaryFolder { folder in
            // A device node of the test's own, with the numbers of /dev/null.
            let node = folder + "/node"
            try #require(mknod(node, S_IFCHR | 0o666, 0x0103) == 0)
            try writeOutput(to: node, [1, 2, 3])
            for replace in [replaceFile, replaceNamedFile] {
                #expect(throws: SystemError.self) { try replace(node, [], 0o600) }
            }
            #expect(throws: SystemError.self) { try readFile(at: node) }
            #expect(try readInput(at: node).isEmpty)
            #expect(kind(node) == S_IFCHR)
        }
    }

    @Test func `the path of a sibling file is derived from every form of a path`() {
        #expect(sibling("b", of: "a") == "b")
        #expect(sibling("b", of: "/a") == "/b")
        #expect(sibling("b", of: "x/a") == "x/b")
    }
}
