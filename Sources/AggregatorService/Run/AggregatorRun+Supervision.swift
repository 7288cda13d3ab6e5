import SiteCore
import Beacons
import Linux
import Messages

/// The reports to systemd, and the reload that systemd requests.
extension AggregatorRun {
    /// Reports to the supervisor that the service runs, and its status if that changed.
    mutating func report() {
        let duties = [driver.nextDeadline]
        if supervision.feed(at: Clock.now, duties: duties) { supervision.report(driver.status(at: Clock.now)) }
    }

    /// Reads the configuration again, applies what can change while the service runs, and reports the rest.
    mutating func reload() {
        supervision.supervisor.reloading()
        defer { supervision.supervisor.ready() }
        let path = configuration.file
        do throws(Failure) {
            let configuration = try loadConfiguration(at: path)
            if let excess = driver.excess(of: configuration) {
                throw Failure(.configuration, excess)
            }
            companion?.reload(configuration)
            driver.replace(problem: self.configuration.site.planProblem, by: configuration.site.planProblem)
            let late = driver.reload(configuration, at: Clock.moment)
            logger.notice("Read \(path) again: its items, regions, rooms, doors and gateways are applied")
            if !late.isEmpty {
                logger.warning("\(late.joined(separator: ", ")) changed as well: that takes effect at the next start")
            }
        } catch {
            logger.error("\(path) was not applied, the former configuration stays in force: \(error)")
        }
    }
}
