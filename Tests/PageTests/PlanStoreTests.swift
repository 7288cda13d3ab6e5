import Foundation
import Linux
import Messages
import PageConfiguration
import Settings
import SiteCore
import Testing

@testable import Page

/// The plan that people draw, and its pictures.
struct PlanStoreTests {
    private static let picture: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// A plan of one room, over a picture if there is a name.
    private func plan(_ picture: String?) throws -> JSONObject {
        let pictures = picture.map { "{\"floor\":0,\"name\":\"\($0)\",\"x_m\":0,\"y_m\":0,\"width_m\":9}" } ?? ""
        let text =
            "{\"floors\":[{\"floor\":0,\"rooms\":[{\"name\":\"Kitchen\",\"polygon_m\":[[0,0],[4,0],[4,3],[0,3]]}]}],"
            + "\"pictures\":[\(pictures)]}"
        return try #require(try JSONValue(parsing: Array(text.utf8)).object)
    }

    @Test func `a plan with a picture that is not stored is refused, until the picture is sent again`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "forgetmenot-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = PlanStore(StateFolder(path: folder.path)) { (plan, _) throws(SettingsError) in
            let reading = readSettings(plan ?? [], file: drawnPlanFile) { drawn in
                readSettings([], file: "aggregator.toml") { ServiceConfiguration($0, drawn: drawn) }.configuration
            }
            guard let configuration = reading.configuration ?? nil else { throw .wrong(reading.problems) }
            return configuration.aggregator
        }
        let reading = readSettings([], file: "none.toml") { ServiceConfiguration($0) }
        let board = Board(try #require(reading.configuration).aggregator.site, needsSignIn: false)
        #expect(throws: Refused.self) {
            try store.replace(with: plan("0123456789abcdef"), on: board) { _ in true }
        }
        #expect(board.site.rooms.isEmpty)
        for _ in 0..<2 {
            // Anna's picture, and Ben's plan without it.
            let name = try store.add(Self.picture, on: board)
            try store.replace(with: plan(nil), on: board) { _ in true }
            #expect(store.picture(name) == nil)
            #expect(throws: Refused.self) { try store.replace(with: plan(name), on: board) { _ in true } }
            #expect(board.site.pictures.isEmpty)
            #expect(try store.add(Self.picture, on: board) == name)
            try store.replace(with: plan(name), on: board) { _ in true }
            #expect(store.picture(name)?.bytes == Self.picture && board.site.pictures.map(\.name) == [name])
        }
        // A plan whose picture was lost on the disk can still be changed.
        let name = try #require(board.site.pictures.first?.name)
        try FileManager.default.removeItem(atPath: StateFolder(path: folder.path).file(PlanPicture.filePrefix + name))
        try store.replace(with: plan(name), on: board) { _ in true }
        #expect(board.site.pictures.map(\.name) == [name])
    }
}
