import Beacons
import Messages
import Settings
import Testing

@testable import SiteCore

/// The `[[item]]` tables.
struct ItemTests {
    private func item(_ name: String, minor: Int, _ more: String = "") -> String {
        "[[item]]\nname = \"\(name)\"\nuuid = \"\(uuid)\"\nmajor = 1\nminor = \(minor)\n\(more)\n"
    }

    @Test func `an item has a name, a beacon, an id made from its name, and the line where it stands`() throws {
        let entries = try #require(
            aggregator(
                item("Laptop bag", minor: 1)
                    + item("Keys", minor: 2, "id = \"k\"\nmeasured_power_dbm = -71\nsleeps = true"))?
                .site.items)
        let items = entries.map(\.item)
        #expect(items.map(\.id) == ["laptop-bag", "k"] && entries.map(\.line) == [1, 7])
        #expect(items[1].beacon == BeaconIdentity(uuid: try #require(BeaconUUID(uuid)), major: 1, minor: 2))
        #expect(items[1].sleeps && !items[0].sleeps)
        #expect(items[1].measuredPower?.dBm == -71 && items[0].notify == Notify.standard)
    }

    @Test func `a notification's rules are read with their durations and hours`() throws {
        let text =
            item("Bag", minor: 1) + """
                [item.notify]
                left = false
                returned = true
                after = "1m"
                repeat = "0s"
                until = "2h"
                from = "22:00"
                to = "07:00"
                left_text = "Weg."
                returned_text = "Da."
                """
        let notify = try #require(aggregator(text)?.site.items.first?.item.notify)
        #expect(!notify.left && notify.returned && notify.leftText == "Weg." && notify.returnedText == "Da.")
        #expect(notify.afterSeconds == 60 && notify.repeatSeconds == nil && notify.untilSeconds == 7200)
        #expect(notify.from?.description == "22:00" && notify.to?.minute == 420)
    }

    @Test func `an item without its whole beacon is none`() {
        #expect(
            published("[[item]]\nname = \"Bag\"\nuuid = \"\(uuid)\"") == [
                "aggregator.toml:1: item.major is missing: write a whole number from 0 to 65535",
                "aggregator.toml:1: item.minor is missing: write a whole number from 0 to 65535",
            ])
    }

    @Test func `no two items have a name, an id or a beacon in common`() {
        let text =
            item("Bag", minor: 1, "id = \"a\"")  // lines 1 to 6
            + item("Bag", minor: 2)  // 7 to 12
            + item("Keys", minor: 3, "id = \"a\"")  // 13 to 18
            + item("Purse", minor: 1)  // 19 to 24
        #expect(
            published(text) == [
                "aggregator.toml:8: item.name is \"Bag\", as in line 2: write another",
                "aggregator.toml:18: item.id is \"a\", as in line 6: write another",
                "aggregator.toml:21: item.uuid with its major and minor is also the beacon of the item in line 1: write another beacon",
            ])
    }

    @Test func `each duration of a notification is at most a week, as of the options of commands`() throws {
        let bag = item("Bag", minor: 1) + "[item.notify]\n"
        let longest = bag + "after = \"7d\"\nrepeat = \"7d\"\nuntil = \"7d\"\n"
        let notify = try #require(aggregator(longest)?.site.items.first?.item.notify)
        #expect([notify.afterSeconds, notify.repeatSeconds, notify.untilSeconds] == [604_800, 604_800, 604_800])
        for key in ["after", "repeat", "until"] {
            let problems = published(bag + "\(key) = \"8d\"\n")
            #expect(problems.count == 1 && problems[0].contains("item.notify.\(key) is \"8d\""), "\(problems)")
        }
    }

    @Test func `hours need a beginning and an end`() {
        let bag = item("Bag", minor: 1)
        #expect(
            published(bag + "[item.notify]\nfrom = \"07:00\"")
                == ["aggregator.toml:8: item.notify.from stands without to: write both or neither"])
        #expect(
            published(bag + "[item.notify]\nfrom = \"07:00\"\nto = \"07:00\"")
                == ["aggregator.toml:9: item.notify.to is \"07:00\", the same as from: write two times, or neither"])
    }
}
