import Beacons
import Delivery
import EventLogs
import Messages

@testable import SiteCore

/// A disk of a test's own, which never fails: files in memory, and an event log that is written and never read.
struct TestDisk {
    /// The contents of each file, by name.
    var files: [String: [UInt8]] = [:]
    var bytesWritten = 0
    var writes = 0

    /// The site that the files hold; `nil` if there is none.
    static func stored(_ files: [String: [UInt8]]) throws -> StoredSite? {
        try files["site.json"].map { try StoredSite(parsing: $0).applying(log: files["site.log"] ?? []).site }
    }

    /// Carries out an action that concerns the disk, and reports the outcome; returns whether the action is one.
    mutating func carryOut(_ action: SiteDriver.Action, for driver: inout SiteDriver, at moment: Moment) -> Bool {
        switch action {
        case .write(.open): driver.handle(.wrote(.opened(Catalogue())), at: moment)
        case .write: driver.handle(.wrote(.done), at: moment)
        case .read(let reading): driver.read(reading) { _, _ in [] }
        case .replace(let file, let bytes):
            files[file.rawValue] = bytes
            wrote(file, bytes, for: &driver, at: moment)
        case .append(let file, let bytes):
            files[file.rawValue]! += bytes
            wrote(file, bytes, for: &driver, at: moment)
        default: return false
        }
        return true
    }

    private mutating func wrote(_ file: SiteFile, _ bytes: [UInt8], for driver: inout SiteDriver, at moment: Moment) {
        (bytesWritten, writes) = (bytesWritten + bytes.count, writes + 1)
        driver.handle(.replaced(file, problem: nil), at: moment)
    }
}

/// The events of a test's gateways, by gateway.
typealias TestEventLogs = [String: [BeaconEvent]]

extension TestEventLogs {
    /// The response of a gateway that a message asks for its events; `nil` if the message is no such request.
    ///
    /// - Parameter stamp: the gateway's clocks.
    func response(to topic: String, _ payload: [UInt8], at stamp: Stamp) -> Message? {
        guard case .gatewayRequest(let gateway, "events") = Topic(named: topic, under: .standard) else { return nil }
        let request = Request(parsing: payload)
        guard let asked = try? request.body(EventsRequest.self) else { return nil }
        let events = (self[gateway] ?? []).filter { (asked.seqs.from...asked.seqs.to).contains($0.seq) }
        let clock = EventsResponse.Uptime(boot: stamp.boot, uptime: stamp.uptime)
        let response = Response(
            .done(EventsResponse(events: events.map { .beacon($0) }, now: clock)), transaction: request.transaction)
        return Message(.gatewayResponse(gateway: gateway, what: "events"), bytes: response.bytes)
    }
}
