import Beacons
import Locating
import Testing

@testable import SiteCore

@Suite struct SurroundingsTests {
    private func surroundings() -> Surroundings {
        let gateways = ["hall", "kitchen"].map { Site.Gateway(id: $0, room: $0) }
        return Surroundings(LocatorModel(site: Site(gateways: gateways)))
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
