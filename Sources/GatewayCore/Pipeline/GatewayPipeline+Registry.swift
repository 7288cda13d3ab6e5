import Beacons
import Delivery
import Messages
import Ranging

/// The monitored regions: those of the configuration and those of the registry, items included.
extension GatewayPipeline {
    /// How many regions are monitored, an item's implicit one among them.
    var regionCount: Int { monitor.regionStatuses.count }

    /// One sentence for each region of this gateway that has the id of an item. Events give both the same name.
    var idClashes: [String] {
        configuration.regions.compactMap { region in
            registry.items[region.id].map {
                "The region \(region.identifier) of this gateway has the id of the item \($0.name) (\(region.id)): give the region another id"
            }
        }
    }

    /// Gives the configuration's regions the ids that an earlier release stored on disk, so that existing ids stay.
    ///
    /// - Returns: whether there is such a region.
    mutating func storeRegionIDs() -> Bool {
        var taken = Set(configuration.regions.map(\.id))
        var isChanged = false
        for index in configuration.regions.indices {
            let id = configuration.regions[index].id
            guard let former = configuration.formerRegionIDs[id], storedRegionIDs.contains(former),
                !storedRegionIDs.contains(id), taken.insert(former).inserted
            else { continue }
            configuration.regions[index].id = former
            isChanged = true
        }
        return isChanged
    }

    /// Restores the registry of a former process.
    package mutating func restore(_ stored: StoredRegistry) {
        registry.restore(stored)
        setRegions()
    }

    /// Monitors the regions of configuration and registry, and clears the published states of all others, without events.
    mutating func setRegions() {
        var regions = configuration.regions
        regions += registry.regions.values.sorted { $0.id < $1.id }.map(\.region)
        // Of two regions with one id the configuration's own counts: it was written for this gateway.
        var taken: Set<String> = []
        regions = regions.filter { taken.insert($0.id).inserted }
        regions += registry.items.values.sorted { $0.id < $1.id }.map(\.region)
        // Gateways whose beacons have one UUID receive each other through this region.
        if let uuid = configuration.beacon?.identity.uuid {
            regions.append(Region(id: "gateways", identifier: "Gateways", scope: .uuid(uuid), isImplicit: true))
        }
        let former = Set(monitor.regionStatuses.filter { !$0.region.isImplicit }.map(\.region.id))
        publish(monitor.setRegions(regions, at: now.instant))
        ranger.setRegions(regions)
        for region in former.subtracting(taken).sorted() {
            publish(.clearing(.regionState(region: region, gateway: configuration.id)))
        }
        for beacon in board.posted where monitor.state(of: beacon) == nil { clear(beacon) }
    }

    /// Applies one retained message of the registry.
    mutating func apply(registry topic: Topic, payload: [UInt8]) throws(PayloadRefusal) {
        guard try registry.receive(topic, payload, at: now.instant) else { return }
        setRegions()
        outputs.append(.storeRegistry)
        publishInfo()
    }

    /// Requests missing entries again, and reports those that the broker still does not deliver.
    mutating func tendRegistry() {
        guard now.instant >= nextTending else { return }
        nextTending = now.instant + Self.tendingPeriod
        for step in registry.fetchMissing(at: now.instant) { outputs.append(.fetch(step)) }
        let problem = registry.problem(of: "this gateway")
        guard problem != registryProblem else { return }
        let former = registryProblem
        registryProblem = problem
        if let registryProblem { outputs.append(.note(registryProblem)) }
        replace(problem: former, by: registryProblem, at: now)
    }
}
