import Foundation
import Testing

/// Texts that newcomers read first.
struct DocumentTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    }

    @Test func `the README names every target of the package`() throws {
        let readme = try text("README.md")
        let targets = try text("Package.swift")
            .matches(of: #/\.(?:target|executableTarget|testTarget|systemLibrary)\(\s*name: "(\w+)"/#).map { $0.1 }
        try #require(targets.count > 40)
        for target in targets { #expect(readme.contains("`\(target)`"), "README.md does not name \(target)") }
    }

    @Test func `the pictures of the README are there, and have less than 300 kB together`() throws {
        let paths = try text("README.md").matches(of: #/"(Documentation\/[^"]+\.png)"/#).map { String($0.1) }
        try #require(paths.count == 3)
        let sizes = try paths.map { try Data(contentsOf: Self.root.appending(path: $0)).count }
        #expect(sizes.reduce(0, +) < 300_000, "\(sizes)")
    }

    /// The names in a text: its runs of letters, digits and underscores.
    private func names(in text: String) -> Set<String> {
        let isPart = { (byte: UInt8) in byte == 0x5F || (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 }
        return Set(text.utf8.split { !isPart($0) }.map { String(Substring($0)) })
    }

    private func files(in folder: String, ending: String) throws -> [URL] {
        let all = try #require(
            FileManager.default.enumerator(at: Self.root.appending(path: folder), includingPropertiesForKeys: nil))
        return all.compactMap { $0 as? URL }.filter { $0.pathExtension == ending }
    }

    @Test func `the documents name no type and no function that the code does not have`() throws {
        var code = names(in: try text("Package.swift")).union(["Codable"])
        for file in try files(in: "Sources", ending: "swift") + files(in: "Tests", ending: "swift") {
            code.formUnion(names(in: try String(contentsOf: file, encoding: .utf8)))
        }
        let pages = try files(in: "Documentation", ending: "md").map {
            "Documentation/" + $0.path.split(separator: "/Documentation/")[1]
        }
        try #require(pages.count > 40)
        for page in pages + ["README.md", "CONTRIBUTING.md"] {
            var isCode = false
            for line in try text(page).split(separator: "\n") {
                if line.hasPrefix("```") { isCode.toggle() }
                guard !isCode else { continue }
                for name in line.matches(of: #/`([A-Z][a-z]+[A-Za-z]*|[a-z]+[A-Z]\w*)(?:\.(\w+))?(?:\([\w:]*\))?`/#) {
                    for part in [name.1, name.2].compactMap(\.self) {
                        let isThere = code.contains(String(part))
                        #expect(isThere, "\(page) names \(name.0), and \(part) is not in the code")
                    }
                }
            }
        }
    }

    @Test(arguments: ["Sources/Aggregator", "Sources/SiteClient", "Sources/Gateway"])
    func `each command's abstract is one sentence below 70 characters that begins with a verb`(folder: String) throws {
        let files = try #require(
            FileManager.default.enumerator(at: Self.root.appending(path: folder), includingPropertiesForKeys: nil))
        var abstracts: [String] = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let source = try String(contentsOf: file, encoding: .utf8)
            abstracts += source.matches(of: #/abstract: "((?:[^"\\]|\\.)*)"/#).map {
                String($0.1).replacing("\\\"", with: "\"")
            }
        }
        try #require(abstracts.count >= 8)
        for abstract in abstracts {
            let isImperative = abstract.prefixMatch(of: #/[A-Z][a-z]*[a-rt-z],? /#) != nil
            #expect(isImperative && abstract.hasSuffix(".") && abstract.count < 70, "\(abstract)")
        }
    }
}
