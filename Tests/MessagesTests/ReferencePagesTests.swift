import Foundation
import Testing

/// Compares the reference's pages about the code with the code.
@Suite struct ReferencePagesTests {
    private static let catalogue = ReferencePage.root.appending(path: "Documentation/Forgetmenot.docc")

    /// The files below a folder of the repository whose names have the suffix.
    private static func files(below folder: String, ending: String) throws -> [URL] {
        let root = ReferencePage.root.appending(path: folder).resolvingSymlinksInPath()
        let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        return files.compactMap { $0 as? URL }.filter { $0.lastPathComponent.hasSuffix(ending) }
    }

    private static func landingPage() throws -> String {
        try String(contentsOf: catalogue.appending(path: "Forgetmenot.md"), encoding: .utf8)
    }

    /// The names of all types in the sources and the tests.
    private static let types: Result<Set<String>, any Error> = Result {
        let keywords: Set<Substring> = ["struct", "class", "enum", "protocol", "actor", "typealias"]
        var types: Set<String> = []
        for file in try files(below: "Sources", ending: ".swift") + files(below: "Tests", ending: ".swift") {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                let words = line.split(separator: " ", maxSplits: 5)
                guard let index = words.firstIndex(where: keywords.contains), index + 1 < words.count else { continue }
                types.insert(String(words[index + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" }))
            }
        }
        return types
    }

    private static func isDeclared(_ type: String) throws -> Bool { try types.get().contains(type) }

    @Test func `each life of a value has at most ten stations, and each named type exists`() throws {
        let lives = try Self.landingPage().components(separatedBy: "\n### ").filter { $0.hasPrefix("The life of") }
        #expect(lives.count == 4)
        for life in lives {
            let stations = life.split(separator: "\n").filter { $0.firstMatch(of: /^\d+\.\s/) != nil }
            #expect((2...10).contains(stations.count), "\(life.prefix(40))")
            for station in stations {
                let named = station.matches(of: /`([A-Z]\w*)`/).map { String($0.1) }
                #expect(!named.isEmpty, "\(station) names no type")
                for type in named { #expect(try Self.isDeclared(type), "\(type) in: \(station)") }
            }
        }
    }

    @Test func `every type that a page of the reference names exists`() throws {
        let pages = try ["Documentation", "Sources", "Tests"].flatMap { try Self.files(below: $0, ending: ".md") }
        #expect(pages.count > 30)
        for file in pages {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /`([A-Z][a-z]+[A-Z]\w*)`/) {
                #expect(try Self.isDeclared(String(match.1)), "\(match.1) in \(file.lastPathComponent)")
            }
        }
    }

    @Test func `the module diagram has exactly the modules of the sources`() throws {
        let page = try Self.landingPage()
        let section = try #require(page.components(separatedBy: "### The modules").last)
        let picture = try #require(section.components(separatedBy: "\n### ").first)
        let words = Set(picture.matches(of: /\b[A-Z]\w+/).map { String($0.0) })
        let sources = ReferencePage.root.appending(path: "Sources")
        let modules = try FileManager.default.contentsOfDirectory(atPath: sources.path).filter { !$0.hasPrefix(".") }
        #expect(Set(modules).subtracting(words) == [], "name it in the picture of Forgetmenot.md")
        let block = try #require(picture.components(separatedBy: "```").dropFirst().first)
        let named = Set(block.matches(of: /\b[A-Z]\w+/).map { String($0.0) })
        #expect(named.subtracting(modules) == ["MQTT"])
    }

    @Test func `each decision page has context, decision and consequence in fewer than sixty lines`() throws {
        let pages = try Self.files(below: "Documentation/Forgetmenot.docc/Decisions", ending: ".md")
        #expect(pages.count >= 6)
        for page in pages {
            let lines = try String(contentsOf: page, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count < 60, "\(page.lastPathComponent)")
            #expect(
                lines.filter { $0.hasPrefix("## ") } == ["## Context", "## Choice", "## Consequence"],
                "\(page.lastPathComponent)")
        }
    }
}
