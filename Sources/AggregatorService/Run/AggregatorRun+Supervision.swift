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
        var problem: String?
        defer {
            driver.site.replace(problem: reloadProblem, by: problem)
            reloadProblem = problem
            supervision.supervisor.ready()
        }
        let path = configuration.file
        do throws(Failure) {
            let file = try loadConfiguration(at: path)
            let configuration = file.aggregator
            if let excess = driver.site.excess(of: configuration) {
                throw Failure(.configuration, excess)
            }
            let lateBeside = companion?.reload(file) ?? []
            driver.site.replace(problem: self.configuration.site.planProblem, by: configuration.site.planProblem)
            let late = driver.reload(configuration, at: Clock.moment) + lateBeside
            logger.notice("Read \(path) again: its items, regions, rooms, doors and gateways are applied")
            if !late.isEmpty {
                logger.warning("\(late.joined(separator: ", ")) changed as well: that takes effect at the next start")
            }
        } catch {
            let sentence = "\(path) was not applied, the former configuration stays in force"
            problem = "\(sentence), and the next start will fail: \(error.first)"
            logger.error("\(sentence): \(error)")
        }
    }
}
