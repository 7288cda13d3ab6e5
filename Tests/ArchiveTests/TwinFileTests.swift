import Archive
import Beacons
import Glibc
import Linux
import Testing

struct TwinFileTests {
    private func text(_ file: inout TwinFile) -> String? {
        file.read(limit: 10_000).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `the content written last is read by the next process, be it shorter or longer than before`() throws {
        try withTemporaryFolder { path in
            let folder = StateFolder(path: path + "/not/there/yet")
            var file = TwinFile("states", in: folder)
            #expect(text(&file) == nil)
            for content in ["first", "a longer second one", "", "x"] {
                try file.write(Array(content.utf8))
                var next = TwinFile("states", in: folder)
                #expect(text(&next) == content)
                // It goes on where the one before it was.
                file = next
            }
            #expect(try folder.entries().sorted() == ["states.0", "states.1"])
        }
    }

    @Test func `a pipe in the place of a file is neither waited for nor written to`() throws {
        try withTemporaryFolder { path in
            try #require(mkfifo(path + "/states.0", 0o600) == 0)
            try #require(mkfifo(path + "/states.1", 0o600) == 0)
            var file = TwinFile("states", in: StateFolder(path: path))
            #expect(text(&file) == nil)
            #expect(throws: SystemError.self) { try file.write(Array("one".utf8)) }
        }
    }

    @Test func `the former content is readable, however the interrupted write ended`() throws {
        try withTemporaryFolder { path in
            let folder = StateFolder(path: path)
            var generator = SplitMix64(seed: 6)
            for _ in 0..<300 {
                var file = TwinFile("states", in: folder)
                let former = text(&file)
                let older = ["states.0", "states.1"].map { name in
                    (name, (try? readFile(at: folder.file(name))) ?? [])
                }
                let content = String(
                    decoding: (0..<Int.random(in: 0..<9000, using: &generator)).map { _ in
                        UInt8.random(in: 97...122, using: &generator)
                    }, as: UTF8.self)
                try file.write(Array(content.utf8))
                // Of the half that was written, some blocks are new and some are old.
                for (name, before) in older {
                    guard var torn = try? readFile(at: folder.file(name)), torn != before else { continue }
                    for block in stride(from: 0, to: torn.count, by: 4096) where Bool.random(using: &generator) {
                        for index in block..<min(block + 4096, torn.count) {
                            torn[index] = index < before.count ? before[index] : 0
                        }
                    }
                    try replaceFile(at: folder.file(name), with: torn)
                }
                var next = TwinFile("states", in: folder)
                let found = text(&next)
                #expect(found == former || found == content)
            }
        }
    }
}
