import Beacons
import HTTPTypes
import Hummingbird
import Messages
import PageConfiguration

struct AssetFiles: Sendable {
    private struct File: Sendable {
        var buffer: ByteBuffer
        var gzip: ByteBuffer
        var type: String
        var hash: String

        init(_ name: String, _ bytes: [UInt8]) {
            buffer = ByteBuffer(bytes: bytes)
            gzip = gzipped(buffer, level: 9)
            type = AssetFiles.type(of: name)
            hash = AssetFiles.hash(of: bytes)
        }
    }

    private let files: [String: File]
    /// A text that changes with every file: browsers keep a file of `assets/{version}` for good.
    let version: String

    init() {
        let embedded = embeddedFiles()
        let version = Self.hash(of: embedded.flatMap(\.bytes))
        self.version = version
        files = Dictionary(
            uniqueKeysWithValues: Self.withLanguagesInParts(embedded).map { name, bytes in
                var text = String(decoding: bytes, as: UTF8.self)
                // The files name each other in the same folder, so that only the page itself names the version.
                if name == "index.html" { text.replace("\"assets/", with: "\"assets/\(version)/") }
                if name.hasSuffix(".js") || name.hasSuffix(".css") { text = Self.withoutComments(text) }
                return (name, File(name, Array(text.utf8)))
            })
    }

    /// The files, with the sentences of each language in two: those of the scripts that `index.html` names, for the first view, and the others.
    private static func withLanguagesInParts(
        _ files: [(name: String, bytes: [UInt8])]
    ) -> [(name: String, bytes: [UInt8])] {
        let texts = Dictionary(uniqueKeysWithValues: files.map { ($0.name, String(decoding: $0.bytes, as: UTF8.self)) })
        let page = texts["index.html"]!.split { "<>\"".contains($0) }
        let scripts = page.compactMap { $0.hasPrefix("assets/") ? texts[String($0.dropFirst("assets/".count))] : nil }
        let first = Set(page + scripts.flatMap { $0.split(separator: "'") })
        return files.flatMap { name, bytes in
            guard name.hasPrefix("language-"), name.hasSuffix(".json") else { return [(name, bytes)] }
            let sentences = (try? JSONValue(parsing: bytes, limits: .list))?.object?.members ?? []
            func part(_ isIncluded: (JSONObject.Member) -> Bool) -> [UInt8] {
                jsonObject { json in
                    for one in sentences where isIncluded(one) {
                        json.key(named: one.key)
                        json.element(one.value)
                    }
                }
            }
            let isFirst = { (one: JSONObject.Member) in first.contains(one.key[...]) }
            return [(name, part(isFirst)), (name.dropLast(".json".count) + "-more.json", part { !isFirst($0) })]
        }
    }

    /// The script or style without indentation, and with an empty line for each line that is a comment: comments are what compresses worst.
    private static func withoutComments(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.drop { $0 == " " } }
            .map { $0.hasPrefix("//") || $0.hasPrefix("/*") && $0.hasSuffix("*/") ? "" : $0 }.joined(separator: "\n")
    }

    private static func hash(of bytes: [UInt8]) -> String { hexadecimal(Array(Secrets.sha256(bytes).prefix(8))) }

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
    func response(_ name: String, version: String? = nil, _ headers: HTTPFields) throws(Refused) -> Response {
        guard let file = files[name] else { throw Refused(.notFound, "There is no such file.") }
        let isGzip = headers.acceptGzip
        let tag = isGzip ? "\"\(file.hash)-gzip\"" : "\"\(file.hash)\""
        var fields: HTTPFields = [.contentType: file.type, .eTag: tag, .vary: "Accept-Encoding"]
        // Without a version a browser asks each time, so that a new one is there at once; and so it does for one that is not there any more.
        fields[.cacheControl] = version == self.version ? "public, max-age=31536000, immutable" : "no-cache"
        // The worker is for the page, which is above the folder of the version.
        if name == "worker.js", let allowed = HTTPField.Name("Service-Worker-Allowed") { fields[allowed] = "../../" }
        if headers.hasKnown(tag) { return Response(status: .notModified, headers: fields) }
        if isGzip { fields[.contentEncoding] = "gzip" }
        return Response(
            status: .ok, headers: fields, body: ResponseBody(byteBuffer: isGzip ? file.gzip : file.buffer))
    }
}

extension HTTPFields {
    /// Whether the client has what `tag` names. Proxies that compress make tags weak.
    func hasKnown(_ tag: String) -> Bool {
        (self[.ifNoneMatch] ?? "").split(separator: ",").contains { known in
            ["*", tag, "W/" + tag].contains(known.filter { $0 != " " && $0 != "\t" })
        }
    }
}
