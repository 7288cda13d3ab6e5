import Beacons

/// Rows under headings, aligned by what a terminal shows: two blanks between columns, none at a line's end.
public struct Table: Sendable {
    /// A column's heading, and to which side its cells lean.
    public struct Column: Hashable, Sendable {
        /// Where a cell that is narrower than its column stands.
        public enum Alignment: Sendable {
            /// At the left: names and words.
            case left
            /// At the right: numbers.
            case right
        }

        /// What stands above it.
        public var heading: String
        /// Where its cells stand.
        public var alignment: Alignment

        /// Creates a column from all its properties.
        public init(_ heading: String, _ alignment: Alignment = .left) {
            self.heading = heading
            self.alignment = alignment
        }
    }

    /// The columns, from the left.
    public let columns: [Column]
    /// The cells of each row, as many as there are columns, already printable.
    public private(set) var rows: [[String]] = []

    /// A table without rows.
    public init(_ columns: [Column]) {
        self.columns = columns
    }

    /// Adds one row; cells beyond the columns are our own mistake. A cell of `nil` is shown as `-`, for what is unknown.
    public mutating func append(_ cells: [String?]) {
        precondition(cells.count == columns.count, "a row has one cell per column")
        rows.append(cells.map { printable($0 ?? "-") })
    }

    /// The heading and one line per row, without line ends.
    ///
    /// With a `width`, the widest columns are narrowed until it suffices, and cells that no longer fit end in `…`;
    /// no column gets narrower than four, and what is then still too long is cut at the right.
    public func lines(width: Int? = nil) -> [String] {
        let widths = columnWidths(within: width)
        return ([columns.map { printable($0.heading) }] + rows).map { cells in
            let line = line(of: cells, widths: widths)
            return width.map { truncated(line, to: $0) } ?? line
        }
    }

    private static let gap = 2
    private static let least = 4

    /// The columns' natural widths, the widest narrowed, one terminal column at a time, until `limit` suffices.
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
