import SiteCore
import Beacons
import Linux
import Messages

/// The reports to systemd, and the reload that systemd requests.
extension AggregatorRun {
    /// Reports to the supervisor that the service runs, and its status if that changed.
    mutating func report() {
        // What waits for the disk is late for a reason, and not for ever.
        let duties = writes.isBusy ? [] : [driver.nextDeadline]
        if supervision.feed(at: Clock.now, duties: duties) { supervision.report(driver.status(at: Clock.now)) }
    }

    /// Reads the configuration again, applies what can change while the service runs, and reports the rest.
    mutating func reload() {
        supervision.supervisor.reloading()
        defer { supervision.supervisor.ready() }
        let (logger, path) = (logger, configuration.file)
        let what = "items, people, channels, regions, rooms, doors and gateways"
        let problem = logger.reload(path, applying: what) { () throws(Failure) in
            let file = try loadConfiguration(at: path)
            if let excess = driver.site.excess(of: file.aggregator) { throw Failure(.configuration, excess) }
            let lateBeside = companion?.reload(file) ?? []
            driver.site.replace(problem: configuration.site.planProblem, by: file.aggregator.site.planProblem)
            driver.site.replace(problem: configuration.ambiguity, by: file.aggregator.ambiguity)
            if let ambiguity = file.aggregator.ambiguity { logger.warning("\(ambiguity)") }
            return driver.reload(file.aggregator, at: Clock.moment) + lateBeside
        }
        driver.site.replace(problem: reloadProblem, by: problem)
        reloadProblem = problem
    }
}
