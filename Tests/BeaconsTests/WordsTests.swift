import Beacons
import Testing

@Suite("Identifiers, addresses and units")
struct WordsTests {
    @Test func `a uuid is read in either case and written in lower case`() {
        let uuid = BeaconUUID("E2C56DB5-dffb-48D2-B060-D0F5A71096E0")
        #expect(uuid?.description == "e2c56db5-dffb-48d2-b060-d0f5a71096e0")
        #expect(uuid == BeaconUUID(high: 0xe2c5_6db5_dffb_48d2, low: 0xb060_d0f5_a710_96e0))
    }

    @Test(arguments: [
        "", "e2c56db5", "e2c56db5-dffb-48d2-b060-d0f5a71096e", "e2c56db5-dffb-48d2-b060-d0f5a71096e00",
        "e2c56db5dffb48d2b060d0f5a71096e0", "e2c56db5-dffb-48d2-b060-d0f5a71096eg",
        "{2c56db5-dffb-48d2-b060-d0f5a71096e}",
        "e2c56db5-dffb-48d2-b060_d0f5a71096e0", "e2c56db5-dffb-48d2-b060-d0f5a71096é",
    ])
    func `a text that is no uuid is refused`(text: String) {
        #expect(BeaconUUID(text) == nil)
    }

    @Test func `a uuid typed without hyphens is read and is written with hyphens`() {
        #expect(
            BeaconUUID(written: "E2C56DB5dffb48d2b060d0f5a71096e0")?.description
                == "e2c56db5-dffb-48d2-b060-d0f5a71096e0")
        #expect(BeaconUUID(written: "e2c56db5-dffb-48d2-b060-d0f5a71096e0") != nil)
        for text in [
            "", "e2c56db5dffb48d2b060d0f5a71096e", "e2c56db5dffb48d2b060d0f5a71096e00",
            "e2c56db5-ffb48d2b060d0f5a71096e0",
            "e2c56db5dffb48d2b060d0f5a71096eg", "e2c56db5dffb48d2b060d0f5a71096é",
        ] {
            #expect(BeaconUUID(written: text) == nil, "\(text)")
        }
    }

    @Test func `an address is read and written in BlueZ's notation`() {
        let address = DeviceAddress("b8:27:EB:00:00:01", kind: .public)
        #expect(address?.bits == 0xB827_EB00_0001)
        #expect(address?.description == "B8:27:EB:00:00:01")
        for nonsense in ["", "B8:27:EB:00:00", "B8:27:EB:00:00:01:", "B8-27-EB-00-00-01", "B8:27:EB:00:00:0G"] {
            #expect(DeviceAddress(nonsense, kind: .public) == nil)
        }
    }

    @Test func `127 is not an RSSI`() {
        #expect(RSSI(dBm: 127) == nil)
        #expect(RSSI(dBm: -128) == nil)
        #expect(RSSI(dBm: -59)?.dBm == -59)
    }

    @Test(
        arguments: [(0, false), (-9, false), (-10, true), (-59, true), (-100, true), (-101, false), (127, false)]
            as [(Int8, Bool)])
    func `an implausible measured power is not used for ranging`(dBm: Int8, plausible: Bool) {
        #expect(MeasuredPower(dBm: dBm).isPlausible == plausible)
    }

    @Test func `a region contains the beacons of its scope`() throws {
        let uuid = try #require(BeaconUUID("e2c56db5-dffb-48d2-b060-d0f5a71096e0"))
        let beacon = BeaconIdentity(uuid: uuid, major: 1, minor: 2)
        #expect(Region.Scope.uuid(uuid).contains(beacon))
        #expect(Region.Scope.major(uuid, 1).contains(beacon))
        #expect(!Region.Scope.major(uuid, 2).contains(beacon))
        #expect(Region.Scope.beacon(beacon).contains(beacon))
        #expect(!Region.Scope.beacon(BeaconIdentity(uuid: uuid, major: 1, minor: 3)).contains(beacon))
    }
}
