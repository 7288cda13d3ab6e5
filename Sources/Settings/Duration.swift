import Beacons

extension Interval {
    /// Reads a duration with a number and a unit: `500ms`, `1.5s`, `30s`, `5m`, `2h`, `7d`; `nil` for anything else.
    package init?(duration text: String) {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let unit = durationUnits.first(where: { $0.name == text[digits.endIndex...] }),
            digits.first?.isNumber == true, digits.last?.isNumber == true, digits.count <= 18,
            let count = Double(digits)
        else { return nil }
        self = .seconds(count * unit.seconds)
    }

    /// The duration in the largest unit without a fraction: `90s`, `5m`, `2h`.
    package var duration: String {
        if nanoseconds == 0 { return "0s" }
        for unit in durationUnits.reversed() {
            let (count, rest) = nanoseconds.quotientAndRemainder(dividingBy: Int64(unit.seconds * 1e9))
            if rest == 0 { return "\(count)\(unit.name)" }
        }
        return shortened(seconds * 1000) + "ms"
    }
}

private let durationUnits: [(name: String, seconds: Double)] = [
    ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("d", 86_400),
]
