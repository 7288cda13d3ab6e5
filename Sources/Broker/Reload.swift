import Linux
import Logging

extension Logger {
    /// Has a service apply its configuration file once more, and reports what came of it.
    ///
    /// - Parameters:
    ///   - applied: what the service applies while it runs.
    ///   - apply: reads and applies the file; returns what changed besides, and takes effect at the next start.
    /// - Returns: why the file was not applied, for `info`; `nil` if it was.
    package func reload(
        _ path: String, applying applied: String, _ apply: () throws(Failure) -> [String]
    ) -> String? {
        do throws(Failure) {
            let late = try apply()
            notice("Read \(path) again: its \(applied) are applied")
            if !late.isEmpty {
                warning("\(late.joined(separator: ", ")) changed as well: that takes effect at the next start")
            }
            return nil
        } catch {
            let sentence = "\(path) was not applied, the former configuration stays in force"
            self.error("\(sentence): \(error)")
            return "\(sentence), and the next start will fail: \(error.first)"
        }
    }
}
