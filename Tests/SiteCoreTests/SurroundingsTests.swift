import Beacons
import Locating
import Testing

@testable import SiteCore

@Suite struct SurroundingsTests {
    private func surroundings() -> Surroundings {
        let gateways = ["hall", "kitchen"].map { Site.Gateway(id: $0, room: $0) }
        return Surroundings(LocatorModel(site: Site(gateways: gateways)))
    }

    @Test func `a gateway that receives nothing while others receive items is deaf until it receives one`() {
        var surroundings = surroundings()
        for gateway in ["hall", "kitchen"] { surroundings.scans(gateway, since: .zero) }
        for second in 1...25 {
            let wasDeaf = surroundings.receives("kitchen", nearest: "kitchen", at: .zero + .seconds(Double(second * 5)))
            #expect(!wasDeaf)
        }
        let early = surroundings.findDeafGateways(at: .zero + .seconds(119))
        let found = surroundings.findDeafGateways(at: .zero + .seconds(126))
        #expect(early == [] && found == ["hall"] && surroundings.isDeaf("hall"))
        let wasDeaf = surroundings.receives("hall", nearest: "kitchen", at: .zero + .seconds(130))
        #expect(wasDeaf && !surroundings.isDeaf("hall"))
    }

    @Test func `a deaf gateway that restarts is not deaf before that is found out again, also the second time`() {
        var surroundings = surroundings()
        for _ in 0..<2 {
            surroundings.scans("hall", since: .zero)
            surroundings.set("hall", isDeaf: true)
            surroundings.lost("hall")
            #expect(!surroundings.isDeaf("hall"))
        }
    }

    @Test func `each change of the surroundings has a version of its own, and a repetition has none`() {
        var surroundings = surroundings()
        var versions = [surroundings.version]
        for _ in 0..<2 {
            surroundings.scans("hall", since: .zero)
            versions.append(surroundings.version)
        }
        for _ in 0..<2 {
            surroundings.set("hall", isDeaf: true)
            versions.append(surroundings.version)
        }
        for _ in 0..<2 {
            surroundings.lost("hall")
            versions.append(surroundings.version)
        }
        #expect(versions == [1, 2, 2, 3, 3, 4, 4])
    }

    @Test
    func `a sensor that switches reaches the beliefs, what is learned waits for that, and no gateway is followed`() {
        var surroundings = surroundings()
        let version = surroundings.version
        surroundings.set(isOn: true, of: "hall", since: .zero)
        let revision = surroundings.sensorsOfBeliefs.revision
        #expect(revision > 0 && surroundings.sensorsOfBeliefs.contains("hall"))
        surroundings.learnSensors(from: Locator(model: surroundings.model), at: .zero)
        surroundings.set(isOn: true, of: "hall", since: .zero)
        #expect(surroundings.sensorsOfBeliefs.revision == revision)
        surroundings.set(isOn: false, of: "hall", since: .zero)
        #expect(surroundings.sensorsOfBeliefs.revision > revision)
        #expect(surroundings.version == version)
    }

    @Test func `a gateway that is lost carries the version in which it was lost, until it is forgotten`() {
        var surroundings = surroundings()
        surroundings.scans("hall", since: .zero)
        surroundings.lost("hall")
        #expect(!surroundings.isScanning("hall"))
        #expect(surroundings.lost == ["hall": surroundings.version])
        surroundings.forget("hall")
        #expect(surroundings.lost.isEmpty)
    }

    @Test func `the silence of a gateway counts from its first scan on, however often the scan is reported`() {
        var surroundings = surroundings()
        surroundings.scans("hall", since: .zero + .seconds(5))
        surroundings.scans("hall", since: .zero + .seconds(9))
        #expect(surroundings.scanning == ["hall": .zero + .seconds(5)])
    }
}
