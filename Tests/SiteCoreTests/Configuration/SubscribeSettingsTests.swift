import Messages
import Beacons
import Settings
import Testing

@testable import SiteCore

/// `name` and `[[subscribe]]`: which part of the site an aggregator locates.
struct SubscribeSettingsTests {
    private static let share = "[[subscribe]]\nuuid = \"\(uuid)\"\n"

    @Test func `a file without shares is the aggregator of the whole site`() throws {
        #expect(aggregator("")?.subscribe == SubscribeSettings())
    }

    @Test func `an aggregator has a name and shares, and a client id of its own`() throws {
        let text = "name = \"north\"\n[[subscribe]]\nuuid = \"\(uuid)\"\nmajor = 7\n[mqtt]\nclient_id = \"site\"\n"
        let configuration = try #require(aggregator(text))
        #expect(configuration.subscribe.name == "north")
        #expect(configuration.subscribe.shares == [BeaconShare(uuid: BeaconUUID(uuid)!, major: 7)])
        #expect(configuration.broker.clientID == "site-north")
        let unnamed = try #require(aggregator(Self.share))
        #expect(unnamed.subscribe.name == nil && unnamed.broker.clientID == "forgetmenot")
    }

    @Test(arguments: [
        ("name = \"north\"\n", "aggregator.toml:1: name stands without [[subscribe]]: write the uuid of its beacons"),
        ("name = \"North wing\"\n" + share, "aggregator.toml:1: name is \"North wing\": write 1 to 64 of a-z"),
        ("[[subscribe]]\nmajor = 1\n", "aggregator.toml:1: subscribe.uuid is missing: write 32 hexadecimal digits"),
        (share + "major = 70000\n", "aggregator.toml:3: subscribe.major is 70000: write"),
        (share + "minor = 1\n", "aggregator.toml:3: subscribe.minor is not a known key"),
        ("[subscribe]\nuuid = \"\(uuid)\"\n", "write [[subscribe]], with two brackets"),
        (
            share + share,
            "aggregator.toml:4: subscribe.uuid \(uuid) overlaps with the share \(uuid) in line 1: leave one"
        ),
        (
            share + share + "major = 3\n",
            "aggregator.toml:4: subscribe.uuid \(uuid)/3 overlaps with the share \(uuid) in line 1"
        ),
        (
            "name = \"north\"\n" + share + "[standby]\nname = \"left\"\n",
            "aggregator.toml:4: standby stands in the file of an aggregator with a name, which has no [standby]: only the"
        ),
        (
            "name = \"north\"\n" + share + "[[item]]\nname = \"Bag\"\nuuid = \"\(uuid)\"\nmajor = 1\nminor = 2\n",
            "which has no [[item]]: write it to the file of the aggregator without a name"
        ),
        (
            "name = \"north\"\n" + share + "[[region]]\nidentifier = \"Bags\"\nuuid = \"\(uuid)\"\n",
            "which has no [[region]]: write it to the file of the aggregator without a name"
        ),
    ])
    func `a mistake in the division of the site is one sentence with its line`(text: String, sentence: String) {
        let problems = published(text)
        #expect(problems.count == 1 && problems.first?.contains(sentence) == true, "\(problems)")
    }

    @Test func `more than 256 shares are refused`() {
        func text(_ count: Int) -> String { (0..<count).map { Self.share + "major = \($0)\n" }.joined() }
        #expect(published(text(256)).isEmpty)
        #expect(published(text(257)) == ["aggregator.toml:1: subscribe has 257 tables: write at most 256"])
    }
}
