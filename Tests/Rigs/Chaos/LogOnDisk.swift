import EventLogs
import Linux
import Messages

/// What a program's log of events holds, read beside it.
enum LogOnDisk {
    /// All events of the log in a state folder, oldest first.
    static func events(of state: String) -> [LoggedEvent] {
        let folder = StateFolder(path: state + "/events")
        let numbers = ((try? folder.entries()) ?? []).compactMap { UInt32($0.split(separator: ".").first ?? "") }
        var events: [LoggedEvent] = []
        for number in numbers.sorted() {
            guard let bytes = try? readFile(at: folder.file("\(number).log"), limit: 16 << 20) else { continue }
            var reader = SegmentReader(bytes)
            while let frame = reader.next() {
                events += frame.entries.compactMap { try? LoggedEvent(parsing: $0.payload) }
            }
        }
        return events
    }
}
