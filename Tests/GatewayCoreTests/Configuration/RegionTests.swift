import Beacons
import Testing

@testable import GatewayCore

/// The `[[region]]` tables.
struct RegionTests {
    private let uuid = "f7826da6-4fa2-4e98-8024-bc5b71e0893e"

    private func region(_ text: String) -> String { "[[region]]\nuuid = \"\(uuid)\"\n\(text)\n" }

    @Test func `a region is of a uuid, of a major, or of one beacon`() throws {
        let id = try #require(BeaconUUID(uuid))
        let regions = try #require(
            gateway(
                region("identifier = \"All\"") + region("identifier = \"Some\"\nmajor = 1")
                    + region(
                        "identifier = \"One\"\nmajor = 1\nminor = 65535\nnotify_on_exit = false\nmeasured_power_dbm = -71"
                    ))?.regions)
        #expect(
            regions.map(\.scope) == [
                .uuid(id), .major(id, 1), .beacon(BeaconIdentity(uuid: id, major: 1, minor: 65_535)),
            ])
        #expect(regions.map(\.id) == ["all", "some", "one"])
        #expect(regions.map(\.notifyOnExit) == [true, true, false] && regions.allSatisfy(\.notifyOnEntry))
        #expect(regions[2].measuredPower?.dBm == -71)
    }

    @Test func `ids are unique: given ones stay, derived ones get a number`() {
        let text =
            region("identifier = \"Bags\"") + region("identifier = \"bags!\"")
            + region("identifier = \"x\"\nid = \"bags\"")
        #expect(gateway(text)?.regions.map(\.id) == ["bags-2", "bags-3", "bags"])
    }

    @Test func `a name of which no letter is left makes an id all the same, always the same`() throws {
        let id = try #require(gateway(region("identifier = \"电脑包\""))?.regions.first?.id)
        #expect(id.hasPrefix("region-") && id.count == 13)
        #expect(gateway(region("identifier = \"电脑包\""))?.regions.first?.id == id)
        #expect(gateway(region("identifier = \"电脑包\"\nmajor = 1"))?.regions.first?.id != id)
    }

    @Test func `a missing or repeated key of a region is reported with its line`() {
        let text =
            region("identifier = \"Bags\"\nid = \"bags\"")  // lines 1 to 4
            + region("identifier = \"Bags\"")  // 5 to 7
            + region("identifier = \"Keys\"\nid = \"bags\"")  // 8 to 11
            + region("minor = 3")  // 12 to 14
            + "[[region]]\nidentifier = \"None\"\nmajor = 65536\n"  // 15 to 17
        #expect(
            reported(text) == [
                "gateway.toml:7: region.identifier is \"Bags\", as in line 3: write another",
                "gateway.toml:11: region.id is \"bags\", as in line 4: write another",
                "gateway.toml:12: region.identifier is missing: write a text of 1 to 256 bytes in quotes, without control characters",
                "gateway.toml:14: region.minor stands without major: write major as well, or leave minor out",
                "gateway.toml:15: region.uuid is missing: write 32 hexadecimal digits like \"f7826da6-4fa2-4e98-8024-bc5b71e0893e\"",
                "gateway.toml:17: region.major is 65536: write a whole number from 0 to 65535",
            ])
    }

    @Test func `a measured power from which no distance follows is refused`() {
        #expect(
            reported(region("identifier = \"a\"\nmeasured_power_dbm = 0"))
                == ["gateway.toml:4: region.measured_power_dbm is 0: write a whole number from -100 to -10"])
    }
}
