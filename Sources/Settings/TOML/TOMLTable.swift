/// A table during reading. Its origin determines what may be added to it.
final class TOMLTable {
    enum Origin: Equatable {
        /// The header of a member, `[a.b]` for `a`; the table's own header may follow.
        case implied
        /// The table's own header.
        case header
        /// Dotted keys, `a.b = 1` for `a`, under the header with this number. Others may follow under the same header.
        case dotted(Int)
    }

    enum Member {
        case table(TOMLTable)
        case tables(TOMLTables)
        case value(SettingsNode)

        var line: Int {
            switch self {
            case .table(let table): table.line
            case .tables(let tables): tables.all[0].line
            case .value(let node): node.line
            }
        }

        fileprivate var node: SettingsNode {
            switch self {
            case .table(let table): table.node
            case .tables(let tables): SettingsNode(value: .array(tables.all.map(\.node)), line: line)
            case .value(let node): node
            }
        }
    }

    /// The existing member that prevents an insertion: its path, and the line where it begins.
    struct Conflict: Error {
        var path: ArraySlice<String>
        var line: Int
    }

    private(set) var line: Int
    private var origin: Origin
    private var members: [String: Member] = [:]

    init(_ origin: Origin, line: Int) {
        self.origin = origin
        self.line = line
    }

    /// Returns the table that the header `[path]` begins.
    func open(_ path: [String], line: Int) throws(Conflict) -> TOMLTable {
        let (parent, name) = try parent(of: path, line: line)
        switch parent.members[name] {
        case nil:
            let table = TOMLTable(.header, line: line)
            parent.members[name] = .table(table)
            return table
        case .table(let table) where table.origin == .implied:
            table.origin = .header
            table.line = line
            return table
        case .some(let member):
            throw Conflict(path: path[...], line: member.line)
        }
    }

    func append(_ path: [String], line: Int) throws(Conflict) -> TOMLTable {
        let (parent, name) = try parent(of: path, line: line)
        let table = TOMLTable(.header, line: line)
        switch parent.members[name] {
        case nil: parent.members[name] = .tables(TOMLTables(first: table))
        case .tables(let tables): tables.all.append(table)
        case .some(let member): throw Conflict(path: path[...], line: member.line)
        }
        return table
    }

    // In an array of tables, the last table is the parent.
    private func parent(of path: [String], line: Int) throws(Conflict) -> (TOMLTable, String) {
        var table = self
        for (index, name) in path.dropLast().enumerated() {
            switch table.members[name] {
            case nil:
                let member = TOMLTable(.implied, line: line)
                table.members[name] = .table(member)
                table = member
            case .table(let member): table = member
            case .tables(let members): table = members.all[members.all.count - 1]
            case .value(let node): throw Conflict(path: path[...index], line: node.line)
            }
        }
        return (table, path[path.count - 1])
    }

    /// Inserts a value at the dotted `path` under the header with number `section`.
    func insert(_ node: SettingsNode, at path: [String], section: Int) throws(Conflict) {
        var table = self
        for (index, name) in path.dropLast().enumerated() {
            switch table.members[name] {
            case nil:
                let member = TOMLTable(.dotted(section), line: node.line)
                table.members[name] = .table(member)
                table = member
            case .table(let member) where member.origin == .implied || member.origin == .dotted(section):
                member.origin = .dotted(section)
                table = member
            case .some(let member): throw Conflict(path: path[...index], line: member.line)
            }
        }
        let name = path[path.count - 1]
        if let member = table.members[name] { throw Conflict(path: path[...], line: member.line) }
        table.members[name] = .value(node)
    }

    var node: SettingsNode {
        SettingsNode(value: .table(members.mapValues(\.node)), line: line)
    }
}

/// An array of tables. It is an object so that a further table is added without a copy of the array.
final class TOMLTables {
    fileprivate(set) var all: [TOMLTable]

    init(first: TOMLTable) { all = [first] }
}
