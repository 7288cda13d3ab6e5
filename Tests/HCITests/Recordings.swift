import Glibc
import Testing

/// The recordings beside the repository in ../shared/data, or in the folder FORGETMENOT_DATA. They are third-party and
/// not part of the repository.
enum Recordings {
    static let folder: String = {
        if let folder = getenv("FORGETMENOT_DATA") { return String(cString: folder) }
        // #filePath: REPOSITORY/Tests/HCITests/Recordings.swift
        return #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
            + "/../shared/data"
    }()

    static func path(_ name: String) -> String { folder + "/captures/" + name }

    static func isThere(_ name: String) -> Bool { access(path(name), R_OK) == 0 }

    static let btmonIsInstalled = access("/usr/bin/btmon", X_OK) == 0

    /// Passes the file on in pieces.
    static func read(_ path: String, pieces body: (RawSpan) throws -> Void) throws {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        try #require(file >= 0)
        defer { close(file) }
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(file, &piece, piece.count)
            try #require(count >= 0)
            guard count > 0 else { return }
            try body(piece.span.bytes.extracting(first: count))
        }
    }
}
