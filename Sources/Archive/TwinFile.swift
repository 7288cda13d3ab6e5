import Glibc
import EventLogs
import Linux

/// A file that is written often, and whose newest content may be lost in a power cut, but not the one before.
///
/// Two files take turns, `NAME.0` and `NAME.1`, each written over in place. On ext4 that costs a card 13 kB besides the content, where
/// `StateFolder.replace`, which makes and frees a file each time, costs 72 kB (measured at the device). What stands in one of them:
///
///     number SPACE length SPACE checksum NEWLINE content        the number grows; CRC-32C of number, space and content; what is behind is old
package struct TwinFile: Sendable {
    private static let longestHeader = 64

    private let folder: StateFolder
    private let name: String
    /// The number of the newest content that is known of.
    private var number: UInt64 = 0

    /// The file called `name` in a folder that need not be there yet.
    package init(_ name: String, in folder: StateFolder) {
        self.name = name
        self.folder = folder
    }

    /// The newest content that is there whole; `nil` where there is none, be it that the files cannot be read.
    package mutating func read(limit: Int) -> [UInt8]? {
        var newest: [UInt8]?
        for half in 0...1 as ClosedRange<UInt64> {
            guard let bytes = try? readOwnFile(at: path(half), limit: limit + Self.longestHeader),
                let (number, content) = Self.parse(bytes), number > self.number
            else { continue }
            (newest, self.number) = (content, number)
        }
        return newest
    }

    /// Writes `content` over the older one, and waits for the disk.
    package mutating func write(_ content: [UInt8]) throws(SystemError) {
        let next = number + 1
        do throws(SystemError) {
            try write(Self.bytes(next, content), over: path(next))
        } catch {
            guard error.code == ENOENT else { throw error }
            try folder.make()
            try write(Self.bytes(next, content), over: path(next))
        }
        number = next
    }

    /// Where the content of that number stands.
    private func path(_ number: UInt64) -> String { folder.file("\(name).\(number % 2)") }

    private func write(_ bytes: [UInt8], over path: String) throws(SystemError) {
        let isNew = access(path, F_OK) != 0
        let file = try openOwnFile(path, O_WRONLY | O_CREAT, "write")
        try writeAll(bytes, to: file.number, path: path)
        guard fdatasync(file.number) == 0 else { throw .last("sync \(path)") }
        if isNew { try syncFolder(folder.path) }
    }

    private static func bytes(_ number: UInt64, _ content: [UInt8]) -> [UInt8] {
        Array("\(number) \(content.count) \(sum(number, content))\n".utf8) + content
    }

    private static func parse(_ bytes: [UInt8]) -> (number: UInt64, content: [UInt8])? {
        guard let end = bytes.prefix(longestHeader).firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let words = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ")
        guard words.count == 3, let number = UInt64(words[0]), number < .max, let length = Int(words[1]), length >= 0,
            length <= bytes.count - end - 1
        else { return nil }
        let content = Array(bytes[(end + 1)..<(end + 1 + length)])
        return String(words[2]) == "\(sum(number, content))" ? (number, content) : nil
    }

    private static func sum(_ number: UInt64, _ content: [UInt8]) -> UInt32 {
        checksum(of: Array("\(number) ".utf8) + content)
    }
}
