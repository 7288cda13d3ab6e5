import GatewayCore
import Beacons
import Linux
import Messages

/// The reports to systemd, and the reload that systemd requests.
extension GatewayRun {
    /// Reports to the supervisor that the service runs, and its status if that changed.
    mutating func report() {
        // The radio's reader and the timers. What waits for the disk is late for a reason, and not for ever.
        let duties = time.isLive ? [radio.nextDeadline, writes.isBusy ? nil : driver.nextDeadline] : []
        guard supervision.feed(at: Clock.now, duties: duties) else { return }
        supervision.report(driver.status)
        writeNote()
    }

    /// Reads the configuration again, applies what can change while the service runs, and reports the rest.
    mutating func reload() {
        supervision.supervisor.reloading()
        defer { supervision.supervisor.ready() }
        let logger = logger
        guard let path else { return logger.notice("There is no configuration file to read again") }
        let problem = logger.reload(path, applying: "room, regions, rssi_offset_db and log.level") {
            () throws(Failure) in
            driver.reload(try loadConfiguration(at: path), at: time.moment)
        }
        setLogLevel(driver.configuration.log.level)
        driver.replace(problem: reloadProblem, by: problem, at: time.moment)
        reloadProblem = problem
    }
}
