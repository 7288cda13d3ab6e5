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

    @Test(arguments: ["Sources/Aggregator", "Sources/Gateway"])
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
