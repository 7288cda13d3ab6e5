import Beacons
import Messages
import Testing

@testable import SiteCore

/// Notifications of what happened while the aggregator was off, or had no broker.
struct LateNotificationTests {
    private static let topic = Topic.itemNotification(item: "laptop-bag")
    private static let item =
        TestSite.bagItem + "\n[item.notify]\nreturned = true\nafter = \"30s\"\nrepeat = \"5m\"\nuntil = \"1h\"\n"

    private func home() -> TestSite {
        var site = TestSite(Self.item)
        site.gateway("kitchen", room: "Kitchen")
        site.event(.enter, at: "kitchen")
        site.ranged(at: "kitchen")
        site.advance(to: site.now + 3)
        precondition(site.location?.presence == .home)
        return site
    }

    /// The aggregator comes back, and the gateway's events of its absence arrive, by the seconds before now.
    ///
    /// - Parameter isRestarted: whether another process continues; otherwise the broker was gone.
    private func back(
        _ former: TestSite, _ events: [(Transition, before: Double)], isRestarted: Bool, inside: Bool
    ) throws -> TestSite {
        var site = former
        if isRestarted {
            site = TestSite(
                Self.item, stored: try StoredSite(parsing: former.pipeline.stored.bytes), settling: false)
        } else {
            site.forgetOutputs()
            site.reconnect(after: 10_000)
        }
        site.gateway("kitchen", room: "Kitchen")
        for (index, event) in events.enumerated() {
            // The gateway's run began 500 s before a process.
            let before = isRestarted && event.before > 500 ? 490 - (9000 - event.before) / 20 : event.before
            site.event(event.0, at: "kitchen", when: site.now - before, seq: UInt64(index + 2))
        }
        for second in 0..<60 {
            if second % 10 == 0 {
                site.heartbeat("kitchen", room: "Kitchen")
                if inside { site.ranged(at: "kitchen") }
            }
            site.advance(to: site.now + 1)
        }
        return site
    }

    private func published(_ site: TestSite) -> [String] {
        site.published(on: Self.topic).compactMap { text in
            (try? Notification(parsing: Array(text.utf8), on: Self.topic)).map { "\($0.kind) \($0.count)" }
        }
    }

    @Test(arguments: [true, false])
    func `a return during an absence of the aggregator is notified, unless the item was away for a moment, each time`(
        isRestarted: Bool
    ) throws {
        for (left, returned, expected) in [
            (9000.0, 7000.0, ["returned 1"]), (300, 200, ["returned 1"]), (9000, 8990, []), (300, 290, []),
            (25, 5, []), (45, 5, ["returned 1"]),
        ] as [(Double, Double, [String])] {
            let site = try back(
                home(), [(.exit, left), (.enter, returned)], isRestarted: isRestarted, inside: true)
            #expect(site.story.suffix(2).map { $0.prefix(4) } == ["left", "retu"], "\(site.story)")
            #expect(published(site) == expected, "left \(left) s and returned \(returned) s before")
        }
    }

    @Test(arguments: [true, false])
    func `a departure during an absence of the aggregator is notified for as long as one of now, however old`(
        isRestarted: Bool
    ) throws {
        for left in [9000.0, 300, 40] {
            let site = try back(home(), [(.exit, left)], isRestarted: isRestarted, inside: false)
            #expect(published(site) == ["left 1"], "\(left) s before")
        }
    }

    @Test func `a return right after a departure that became known late is notified by the times of both`() throws {
        var site = try back(home(), [(.exit, 9000)], isRestarted: true, inside: false)
        #expect(published(site) == ["left 1"])
        site.event(.enter, at: "kitchen", seq: 3)
        site.ranged(at: "kitchen")
        site.advance(to: site.now + 5)
        #expect(published(site) == ["left 1", "returned 1"])
    }
}
