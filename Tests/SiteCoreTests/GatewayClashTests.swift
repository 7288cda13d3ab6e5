import Beacons
import Messages
import Testing

@testable import SiteCore

/// Two gateways that run under one id.
struct GatewayClashTests {
    private let first = Boot("17.kfqx")!
    private let second = Boot("4.twin")!
    private let sentence =
        "two gateways run as kitchen, so that rooms and events are wrong: give one of them another id"

    /// A run of the gateway "kitchen" publishes its `info`.
    ///
    /// - Parameter sent: when; `nil`: just now.
    private func receive(_ boot: Boot, in site: inout TestSite, sent: Double? = nil, isRetained: Bool = false) {
        var stamp = site.stamp(at: sent ?? site.now)
        stamp.boot = boot
        let info = GatewayInfo(
            gateway: "kitchen", room: "Kitchen", version: "1", stamp: stamp,
            radio: GatewayInfo.Radio(source: "test", state: .poweredOn), regions: 1)
        site.deliver(.gatewayInfo(gateway: "kitchen"), info.bytes, retained: isRetained)
    }

    private func problems(_ site: inout TestSite) throws -> [String] {
        site.advance(to: site.now + 1)
        return try AggregatorInfo(parsing: Array(try #require(site.published(on: .aggregatorInfo).last).utf8)).problems
    }

    @Test func `runs that alternate are a problem at once, which lasts for half an hour after the last time`() throws {
        var site = TestSite()
        for boot in [first, second] {
            receive(boot, in: &site)
            site.advance(to: site.now + 60)
            #expect(try problems(&site) == [])
        }
        receive(first, in: &site)
        #expect(try problems(&site) == [sentence])
        site.advance(to: site.now + 900)
        receive(second, in: &site)
        site.advance(to: site.now + 1700)
        #expect(try problems(&site) == [sentence])
        site.advance(to: site.now + 200)
        #expect(try problems(&site) == [])
        receive(first, in: &site)
        #expect(try problems(&site) == [sentence], "the second time like the first")
        let notes = site.outputs.filter { if case .perform(.log(.warning, sentence)) = $0 { true } else { false } }
        #expect(notes.count == 2)
    }

    @Test
    func `a gateway that restarts again and again is no problem, nor is a message of a former run that comes late`()
        throws
    {
        var site = TestSite()
        receive(first, in: &site)
        for run in 18..<40 {
            let last = site.now
            site.advance(to: site.now + 5)
            receive(Boot("\(run).kfqx")!, in: &site)
            // The broker delivers the last message of the former run only now, or again after a reconnect.
            receive(run == 18 ? first : Boot("\(run - 1).kfqx")!, in: &site, sent: last)
            receive(Boot("\(run).kfqx")!, in: &site)
            receive(first, in: &site, isRetained: true)
            receive(Boot("\(run).kfqx")!, in: &site)
            #expect(try problems(&site) == [])
        }
    }
}
