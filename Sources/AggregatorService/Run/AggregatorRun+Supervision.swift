import Beacons
import Linux
import Messages

/// What who started the aggregator learns of it, and may ask of it.
extension AggregatorRun {
    /// Tells the supervisor that all goes on, if it does, and how it fares, if that has changed.
    mutating func report() {
        let duties = [driver.nextDeadline]
        if supervision.feed(at: Clock.now, duties: duties) { supervision.say(status) }
    }

    /// How it fares, in a sentence.
    private var status: String {
        let pipeline = driver.pipeline
        let broker = "\(configuration.broker.host):\(configuration.broker.port)"
        guard driver.messenger.isConnected else {
            return "Knows \(pipeline.items.count) items; no connection to \(broker)"
        }
        let home = pipeline.items.values.count { $0.presence == .home }
        let alive = pipeline.gateways.values.count { $0.isAlive(at: Clock.now) }
        let problem = pipeline.diskProblem ?? pipeline.problems.first
        return
            ([
                "\(home) of \(pipeline.items.count) items are home",
                "\(alive) of \(pipeline.gateways.count) gateways are alive",
            ]
            + ["connected to \(broker)", problem].compactMap { $0 }).joined(separator: "; ")
    }

    /// Reads the configuration anew, takes up what can be, and says what cannot.
    mutating func reload() {
        supervision.supervisor.reloading()
        defer { supervision.supervisor.ready() }
        let path = configuration.file
        do throws(Failure) {
            let configuration = try loadConfiguration(at: path)
            if let excess = SiteRegistry.excess(configuration, kept: driver.pipeline.kept) {
                throw Failure(.configuration, excess)
            }
            let late = driver.pipeline.reload(configuration, at: Clock.moment)
            logger.notice("\(path) was read anew: items, regions, rooms, doors and gateways are as it says now")
            if !late.isEmpty {
                logger.warning("\(late.joined(separator: ", ")) changed as well: that takes effect at the next start")
            }
        } catch {
            logger.error("\(path) was not taken up, all stays as it was: \(error)")
        }
    }
}
