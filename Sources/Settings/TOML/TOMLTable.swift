/// A table while it is read: what may still be added to it depends on how it came to be.
final class TOMLTable {
    /// How a table came to be.
    enum Origin: Equatable {
        /// By a header of one of its members, `[a.b]` for `a`: its own header may follow.
        case implied
        /// By its header.
        case header
        /// By dotted keys, `a.b = 1` for `a`, under the header of this number: others may follow under the same.
        case dotted(Int)
    }

    /// What a key may lead to.
    enum Member {
        case table(TOMLTable)
        case tables([TOMLTable])
        case value(SettingsNode)
    }

    /// What stands in the way: its path, and the line where it began.
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

    /// The table that the header `[path]` begins.
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

    /// One more table of those that the header `[[path]]` begins.
    func append(_ path: [String], line: Int) throws(Conflict) -> TOMLTable {
        let (parent, name) = try parent(of: path, line: line)
        let table = TOMLTable(.header, line: line)
        switch parent.members[name] {
        case nil: parent.members[name] = .tables([table])
        case .tables(var tables):
            parent.members[name] = nil  // so that the array has one owner, and is not copied
            tables.append(table)
            parent.members[name] = .tables(tables)
        case .some(let member): throw Conflict(path: path[...], line: member.line)
        }
        return table
    }

    // Of several tables the last is meant.
    private func parent(of path: [String], line: Int) throws(Conflict) -> (TOMLTable, String) {
        var table = self
        for (index, name) in path.dropLast().enumerated() {
            switch table.members[name] {
            case nil:
                let member = TOMLTable(.implied, line: line)
                table.members[name] = .table(member)
                table = member
            case .table(let member): table = member
            case .tables(let members): table = members[members.count - 1]
            case .value(let node): throw Conflict(path: path[...index], line: node.line)
            }
        }
        return (table, path[path.count - 1])
    }

    /// Puts a value where the dotted `path` leads, as it stands under the header of number `section`.
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

    /// The table as it was read.
    var node: SettingsNode {
        SettingsNode(value: .table(members.mapValues(\.node)), line: line)
    }
}

extension TOMLTable.Member {
    var line: Int {
        switch self {
        case .table(let table): table.line
        case .tables(let tables): tables[0].line
        case .value(let node): node.line
        }
    }

    fileprivate var node: SettingsNode {
        switch self {
        case .table(let table): table.node
        case .tables(let tables): SettingsNode(value: .array(tables.map(\.node)), line: line)
        case .value(let node): node
        }
    }
}
