import Foundation
import Linux
import Messages
import PageConfiguration
import Testing

@testable import Page

/// The embedded files, and the description of the interface among them.
struct DescriptionTests {
    private static let folder =
        "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/Sources/CPage/Assets"

    @Test func `the program contains every file of the page`() throws {
        let listed = try #require(FileManager.default.subpaths(atPath: Self.folder))
        let files = embeddedFiles()
        #expect(files.map(\.name).sorted() == listed.sorted())
        for file in files { #expect(try readFile(at: "\(Self.folder)/\(file.name)", limit: 1 << 20) == file.bytes) }
    }

    /// The names of an operation's parameters in the path or in the query.
    private func parameters(_ place: String, of operation: JSONObject) -> Set<String> {
        let all = operation["parameters"]?.array?.compactMap(\.object) ?? []
        return Set(all.filter { $0["in"]?.string == place }.compactMap { $0["name"]?.string })
    }

    @Test func `openapi.json describes every route as it is, key by key, and no other`() throws {
        let text = try readFile(at: "\(Self.folder)/openapi.json", limit: 1 << 20)
        let paths = try #require(try JSONValue(parsing: text, limits: .list).object?["paths"]?.object)
        var described: [String: JSONObject] = [:]
        for path in paths.members {
            for method in path.value.object?.members ?? [] {
                described["\(method.key.uppercased()) \(path.key)"] = method.value.object
            }
        }
        for route in try TestPage().routes.all where route.path != "" && !route.path.hasPrefix("assets/") {
            let name = "\(route.method.rawValue) /\(route.path)"
            guard let operation = described.removeValue(forKey: name) else {
                Issue.record("\(name) is not described")
                continue
            }
            #expect(operation["x-role"]?.string == "\(route.access)", "\(name)")
            #expect((operation["security"]?.array?.isEmpty == true) == (route.access == .anybody), "\(name)")
            let inPath = route.path.matches(of: /\{(\w+)\}/).map { String($0.1) }
            #expect(parameters("path", of: operation) == Set(inPath), "\(name)")
            #expect(parameters("query", of: operation) == Set(route.query), "\(name)")
            #expect((operation["requestBody"] != nil) == (route.mostBytes > 0), "\(name)")
            // What the page refuses before the route responds.
            let statuses = Set(operation["responses"]?.object?.members.map(\.key) ?? [])
            var refusals: Set = ["400", "401", "421"]
            if route.access != .anybody { refusals.insert("403") }
            if route.mostBytes > 0 { refusals.formUnion(["413", "415"]) }
            #expect(statuses.isSuperset(of: refusals), "\(name) lacks \(refusals.subtracting(statuses))")
            if route.mostBytes == 0 { #expect(statuses.isDisjoint(with: ["413", "415"]), "\(name)") }
        }
        #expect(described.keys.sorted() == [])
    }

    @Test func `the page HTTPInterface of the reference has each path that is described`() throws {
        let root = Self.folder.split(separator: "/").dropLast(3).joined(separator: "/")
        let page = String(
            decoding: try readFile(at: "/\(root)/Documentation/Forgetmenot.docc/HTTPInterface.md", limit: 1 << 20),
            as: UTF8.self)
        for route in try TestPage().routes.all where !route.path.hasPrefix("assets/") {
            #expect(page.contains(" /\(route.path)"), "\(route.path)")
        }
    }
}
