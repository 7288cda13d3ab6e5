import Beacons

/// Rows under headings, aligned by display width: two blanks between columns, none at the end of a line.
package struct Table: Sendable {
    /// A column by its heading. A cell that is narrower stands at the left, as names and words do, or at the right, as numbers do.
    package struct Column: Hashable, Sendable, ExpressibleByStringLiteral {
        let heading: String
        private(set) var isRight = false

        package init(stringLiteral heading: String) { self.heading = heading }

        /// A column of numbers.
        package static func right(_ heading: String) -> Column {
            var column = Column(stringLiteral: heading)
            column.isRight = true
            return column
        }
    }

    /// The columns, from the left.
    package let columns: [Column]
    /// The printable cells of each row, one per column.
    package private(set) var rows: [[String]] = []

    package init(_ columns: [Column]) { self.columns = columns }

    /// Appends a row, which must have one cell per column. A `nil` cell is unknown and shown as `-`.
    package mutating func append(_ cells: [String?]) {
        precondition(cells.count == columns.count, "a row has one cell per column")
        rows.append(cells.map { printable($0 ?? "-") })
    }

    /// The heading and the rows, one line each, without newlines.
    ///
    /// With a `width`, columns are dropped until the rest fits: first those without any value, then from the right. The first column always
    /// stays. Then the widest columns are narrowed, down to their headings, and cut cells end in `…`.
    package func lines(width: Int? = nil) -> [String] {
        let (shown, widths) = layout(within: width)
        return ([columns.map { printable($0.heading) }] + rows).map { cells in
            let line = line(of: cells, shown, widths)
            return width.map { truncated(line, to: $0) } ?? line
        }
    }

    private static let gap = 2
    private static let least = 4
    /// The first column names the row: no column beside it is worth a shorter name.
    private static let leastOfFirst = 20

    /// The columns that fit within `limit`, and the widths of all columns.
    private func layout(within limit: Int?) -> (shown: [Int], widths: [Int]) {
        var widths = columns.map { displayWidth(of: printable($0.heading)) }
        let headings = widths
        for row in rows {
            for (column, cell) in row.enumerated() { widths[column] = max(widths[column], displayWidth(of: cell)) }
        }
        var shown = Array(columns.indices)
        guard let limit else { return (shown, widths) }
        let least = columns.indices.map { column in
            min(widths[column], column == 0 ? Self.leastOfFirst : max(Self.least, headings[column]))
        }
        func excess(_ widths: [Int]) -> Int {
            shown.reduce(Self.gap * max(0, shown.count - 1) - limit) { $0 + widths[$1] }
        }
        while shown.count > 1, excess(least) > 0 {
            let column = dispensable(among: shown)
            shown.removeAll { $0 == column }
        }
        for _ in 0..<max(0, excess(widths)) {
            let wide = shown.filter { widths[$0] > least[$0] }
            guard let widest = wide.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
        }
        return (shown, widths)
    }

    /// The column to drop: the last one without any value, else the last one.
    private func dispensable(among shown: [Int]) -> Int {
        shown.dropFirst().last { column in rows.allSatisfy { ["-", ""].contains($0[column]) } }
            ?? shown[shown.count - 1]
    }

    private func line(of cells: [String], _ shown: [Int], _ widths: [Int]) -> String {
        var line = ""
        for column in shown {
            let text = truncated(cells[column], to: widths[column])
            let padding = String(repeating: " ", count: max(0, widths[column] - displayWidth(of: text)))
            if column > 0 { line += String(repeating: " ", count: Self.gap) }
            line += columns[column].isRight ? padding + text : text + padding
        }
        while line.last == " " { line.removeLast() }
        return line
    }
}
