import Beacons
import HCI

/// What the probe was called with: a verb, an adapter, words, and keys with values.
struct Arguments {
    var verb = ""
    var adapter = AdapterName.index(0)
    var words: [String] = []
    var values: [String: String] = [:]

    init(_ arguments: [String]) {
        for argument in arguments.dropFirst() {
            if let equals = argument.firstIndex(of: "=") {
                values[String(argument[..<equals])] = String(argument[argument.index(after: equals)...])
            } else if verb.isEmpty {
                verb = argument
            } else if let name = AdapterName(argument) {
                adapter = name
            } else {
                words.append(argument)
            }
        }
    }

    func milliseconds(_ key: String, default fallback: Int64) -> Interval {
        .milliseconds(values[key].flatMap { Int64($0) } ?? fallback)
    }
}
