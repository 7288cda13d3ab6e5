extension SettingsTable {
    /// Whether the value of `key` is an array, for keys that accept one value or several.
    func hasArray(_ key: String) -> Bool {
        if case .array? = record.members[key]?.value { true } else { false }
    }

    /// Reads non-empty texts; `count` limits their number.
    package func texts(_ key: String, count: ClosedRange<Int>) -> [String]? {
        elements(key, "an array of \(phrase(count)) texts in quotes", count: count) { value in
            guard case .text(let text) = value, !text.isEmpty else { return nil }
            return text
        }
    }

    /// Reads numbers within `range`; `count` limits their number.
    package func numbers(_ key: String, count: ClosedRange<Int>, in range: ClosedRange<Double>) -> [Double]? {
        elements(key, "an array of \(phrase(count)) numbers\(phrase(range))", count: count) { value in
            value.number.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// Reads pairs of numbers within `range`, such as the corners of a polygon; `count` limits their number.
    package func pairs(_ key: String, count: ClosedRange<Int>, in range: ClosedRange<Double>) -> [(Double, Double)]? {
        elements(key, "an array of \(phrase(count)) pairs of numbers\(phrase(range))", count: count) { value in
            guard case .array(let pair) = value, pair.count == 2,
                let first = pair[0].value.number, let second = pair[1].value.number,
                range.contains(first), range.contains(second)
            else { return nil }
            return (first, second)
        }
    }

    // The problem names the first invalid element with its line.
    func elements<Element>(
        _ key: String, _ expected: String, count: ClosedRange<Int>, _ read: (SettingsValue) -> Element?
    ) -> [Element]? {
        var fault: SettingsNode?
        var found: Int?
        let elements: [Element]? = self.read(key, expected) { value in
            guard case .array(let nodes) = value else { return .wrongType }
            let elements = nodes.map { (node: $0, element: read($0.value)) }
            fault = elements.first { $0.element == nil }?.node
            found = count.contains(nodes.count) ? nil : nodes.count
            return .right(elements.compactMap(\.element))
        }
        let path = joined(record.path, key)
        if let fault {
            diagnostics.note("\(path) has \(fault.value.shownWithType): write \(expected)", line: fault.line)
        } else if let found {
            note(key, "has \(found) element\(found == 1 ? "" : "s"): write \(expected)")
        } else {
            return elements
        }
        return nil
    }
}

private func phrase(_ count: ClosedRange<Int>) -> String {
    if count.count == 1 { return String(count.lowerBound) }
    return count.count == 2
        ? "\(count.lowerBound) or \(count.upperBound)" : "\(count.lowerBound) to \(count.upperBound)"
}

private func phrase(_ range: ClosedRange<Double>) -> String {
    " from \(shortened(range.lowerBound)) to \(shortened(range.upperBound))"
}
