/// The bars of what was printed, and which figures met theirs.
struct Bars {
    private var met = 0
    private var missed: [String] = []

    /// A figure with its bar, below which it is to be, as `0.003 < 0.010`; one that missed it is marked with `!`.
    mutating func figure(_ value: Double, below bar: Double, of name: String, decimals: Int, width: Int = 7) -> String {
        let isMet = value <= bar
        if isMet { met += 1 } else { missed.append(name) }
        return Column.number(value, decimals: decimals, width: width) + (isMet ? " < " : " ! ")
            + Column.left(Column.number(bar, decimals: decimals, width: 0), width: 6)
    }

    /// How many were met, and the names of the others.
    func print() {
        Swift.print("\nBars met: \(met) of \(met + missed.count).")
        for name in missed { Swift.print("missed: \(name)") }
    }
}
