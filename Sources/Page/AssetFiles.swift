import Beacons
import CPage
import Glibc
import Hummingbird
import Linux

/// The files of the page, by name, as `CPage.c` lists them.
func embeddedFiles() -> [(name: String, bytes: [UInt8])] {
    var files: [(name: String, bytes: [UInt8])] = []
    var file = page_files()
    while let next = file, let name = next.pointee.name, let text = next.pointee.text {
        files.append((String(cString: name), Array(String(cString: text).utf8)))
        file = next + 1
    }
    return files
}

/// The files of the page, as they are sent.
struct AssetFiles: Sendable {
    private struct File: Sendable {
        var buffer: ByteBuffer
        var type: String
        var tag: String
    }

    private let files: [String: File]

    init() {
        var files: [String: File] = [:]
        for (name, bytes) in embeddedFiles() {
            files[name] = File(
                buffer: ByteBuffer(bytes: bytes), type: Self.type(of: name),
                tag: "\"\(Secrets.sha256(bytes).prefix(8).map { String($0, radix: 16) }.joined())\"")
        }
        self.files = files
    }

    private static func type(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "svg": "image/svg+xml"
        case "json": "application/json"
        case "webmanifest": "application/manifest+json"
        default: "text/plain; charset=utf-8"
        }
    }

    /// The file, or 304 if the browser has it.
    func response(_ name: String, _ headers: HTTPFields) throws(Refused) -> Response {
        guard let file = file(name) else { throw Refused(.notFound, "There is no such file.") }
        // A browser asks each time, so that a new version is there at once.
        let fields: HTTPFields = [.contentType: file.type, .cacheControl: "no-cache", .eTag: file.tag]
        if headers[.ifNoneMatch] == file.tag { return Response(status: .notModified, headers: fields) }
        return Response(status: .ok, headers: fields, body: ResponseBody(byteBuffer: file.buffer))
    }

    private func file(_ name: String) -> File? {
        #if DEBUG
            // For work on the page: a reload shows a changed file.
            if let folder = getenv("FORGETMENOT_PAGE_ASSETS").map({ String(cString: $0) }), !name.contains("/"),
                name.first != ".",
                let bytes = try? readFile(at: "\(folder)/\(name)", limit: 4 << 20)
            {
                return File(buffer: ByteBuffer(bytes: bytes), type: Self.type(of: name), tag: "\"\(bytes.hashValue)\"")
            }
        #endif
        return files[name]
    }
}
