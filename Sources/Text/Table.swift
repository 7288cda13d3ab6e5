import Beacons

/// Rows under headings, aligned by display width: two blanks between columns, none at the end of a line.
package struct Table: Sendable {
    /// A column: its heading and the alignment of its cells.
    package struct Column: Hashable, Sendable {
        /// The alignment of a cell that is narrower than its column.
        package enum Alignment: Sendable {
            /// Left: names and words.
            case left
            /// Right: numbers.
            case right
        }

        /// The heading.
        package var heading: String
        /// The alignment of the cells.
        package var alignment: Alignment

        /// Creates a column from all its properties.
        package init(_ heading: String, _ alignment: Alignment = .left) {
            self.heading = heading
            self.alignment = alignment
        }
    }

    /// The columns, from the left.
    package let columns: [Column]
    /// The printable cells of each row, one per column.
    package private(set) var rows: [[String]] = []

    /// Creates a table without rows.
    package init(_ columns: [Column]) {
        self.columns = columns
    }

    /// Appends a row, which must have one cell per column. A `nil` cell is unknown and shown as `-`.
    package mutating func append(_ cells: [String?]) {
        precondition(cells.count == columns.count, "a row has one cell per column")
        rows.append(cells.map { printable($0 ?? "-") })
    }

    /// The heading and the rows, one line each, without newlines.
    ///
    /// With a `width`, the widest columns are narrowed until the table fits, and cut cells end in `…`. No column is
    /// narrower than four; a line that is still too long is cut at the right.
    package func lines(width: Int? = nil) -> [String] {
        let widths = columnWidths(within: width)
        return ([columns.map { printable($0.heading) }] + rows).map { cells in
            let line = line(of: cells, widths: widths)
            return width.map { truncated(line, to: $0) } ?? line
        }
    }

    private static let gap = 2
    private static let least = 4

    /// The widths of the columns; the widest are narrowed by one terminal column at a time until `limit` is met.
    private func columnWidths(within limit: Int?) -> [Int] {
        var widths = columns.map { displayWidth(of: printable($0.heading)) }
        for row in rows {
            for (column, cell) in row.enumerated() { widths[column] = max(widths[column], displayWidth(of: cell)) }
        }
        guard let limit else { return widths }
        var excess = widths.reduce(0, +) + Self.gap * max(0, widths.count - 1) - limit
        while excess > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }), widths[widest] > Self.least
        {
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }

    private func line(of cells: [String], widths: [Int]) -> String {
        var line = ""
        for (column, cell) in cells.enumerated() {
            let text = truncated(cell, to: widths[column])
            let padding = String(repeating: " ", count: max(0, widths[column] - displayWidth(of: text)))
            if column > 0 { line += String(repeating: " ", count: Self.gap) }
            line += columns[column].alignment == .left ? text + padding : padding + text
        }
        while line.last == " " { line.removeLast() }
        return line
    }
}
