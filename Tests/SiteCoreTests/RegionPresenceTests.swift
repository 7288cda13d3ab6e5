import Beacons
import Messages
import Testing

@testable import SiteCore

@Suite struct RegionPresenceTests {
    private func event(_ transition: Transition, at gateway: String, region: String = "bags") -> RegionEvent {
        RegionEvent(
            transition, seq: 1, stamp: Stamp(at: TestSite.start, boot: Boot("17.kfqx")!, uptime: .zero), region: region,
            gateway: gateway, message: "Welcome")
    }

    private func isPublished(_ presence: inout RegionPresence, _ event: RegionEvent) -> Bool { presence.apply(event) }

    @Test
    func `a region's text is published at the first gateway that has it inside, and at the last that has it no longer`()
    {
        var presence = RegionPresence()
        #expect(isPublished(&presence, event(.enter, at: "hall")))
        #expect(!isPublished(&presence, event(.enter, at: "kitchen")))
        #expect(!isPublished(&presence, event(.exit, at: "hall")))
        #expect(isPublished(&presence, event(.exit, at: "kitchen")))
    }

    @Test func `a region that is inside elsewhere by its state welcomes nobody, until that state is outside or gone`() {
        var presence = RegionPresence()
        presence.apply(.inside, ofRegion: "bags", at: "hall")
        #expect(!isPublished(&presence, event(.enter, at: "kitchen")))
        presence.apply(.unknown, ofRegion: "bags", at: "hall")
        #expect(!isPublished(&presence, event(.exit, at: "kitchen")))
        presence.apply(.outside, ofRegion: "bags", at: "hall")
        #expect(isPublished(&presence, event(.enter, at: "kitchen")))
    }

    @Test func `a region that was removed welcomes anew once it is added again, also the second time`() {
        var presence = RegionPresence()
        for _ in 0..<2 {
            presence.apply(.inside, ofRegion: "bags", at: "hall")
            presence.forget("bags")
            #expect(isPublished(&presence, event(.enter, at: "kitchen")))
        }
    }

    @Test func `no more regions are followed than a registry can have`() {
        var presence = RegionPresence()
        for number in 0..<RegistryManifest.mostEntries {
            presence.apply(.inside, ofRegion: "region-\(number)", at: "hall")
        }
        #expect(!isPublished(&presence, event(.enter, at: "hall", region: "one-more")))
    }
}
