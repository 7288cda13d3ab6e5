import Messages
import Testing

/// Locations that another program has cleared or replaced on the broker.
struct ReplacedLocationTests {
    private let topic = Topic.itemLocation(item: "laptop-bag")

    private func site() -> TestSite {
        var site = TestSite()
        site.advance(to: 20)
        return site
    }

    private func echo(_ text: String, to site: inout TestSite) { site.deliver(topic, Array(text.utf8)) }

    @Test func `a location that somebody clears or replaces is published again, each time`() throws {
        var site = site()
        for _ in 1...2 {
            let own = try #require(site.published(on: topic).last)
            for foreign in ["", "{}", own.replacing("unknown", with: "home")] {
                let count = site.published(on: topic).count
                echo(foreign, to: &site)
                site.advance(to: site.now + 6)
                #expect(site.published(on: topic).count == count + 1, "\(foreign)")
                #expect(site.location?.presence == .unknown)
                echo(site.published(on: topic).last!, to: &site)
                site.advance(to: site.now + 20)
                #expect(site.published(on: topic).count == count + 1)
            }
        }
    }

    @Test
    func `a location that is replaced just after it was published is published again, once every five seconds at most`()
    {
        var site = site()
        let count = site.published(on: topic).count
        let end = site.now + 60
        while site.now < end {
            echo("{}", to: &site)
            site.advance(to: site.now + 1)
        }
        #expect((11...13).contains(site.published(on: topic).count - count))
    }

    @Test func `an aggregator does not publish again because its own locations come back late, or were retained`() {
        var site = site()
        for _ in 1...2 {
            echo("{}", to: &site)
            site.advance(to: site.now + 6)
            let own = site.published(on: topic)
            // The reader is behind by more than the time between two corrections.
            echo(own[own.count - 2], to: &site)
            site.advance(to: site.now + 30)
            #expect(site.published(on: topic).count == own.count)
            for text in own.suffix(2) { echo(text, to: &site) }
            site.deliver(topic, [], retained: true)
            site.advance(to: site.now + 30)
            #expect(own.count > 1 && site.published(on: topic).count == own.count)
        }
    }
}
