import Foundation
import Testing

/// The reference's page Limits against the code: each limit has a row, and each row has the value of the code.
struct LimitsTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    /// The modules whose limits users may reach. Those of the physics and of the kernel's formats are not theirs.
    private static let modules = [
        "AggregatorService", "BrokerSetup", "Channels", "Delivery", "GatewayCore", "GatewayService", "History",
        "HomeAssistant",
        "EventLogs", "Messages", "Mosquitto", "Page", "SiteClient", "SiteCore",
    ]
    /// Limits that follow from a setting, and so have no number.
    private static let computed: Set = ["EventLog.mostInMemory"]

    /// Each constant named as a limit, with its expression: `Outbox.mostMessages`. Read once, as expressions are slow where nothing is optimised.
    private static let constants = Result { try readConstants() }

    private static func readConstants() throws -> [String: String] {
        var found: [String: String] = [:]
        for module in try FileManager.default.contentsOfDirectory(atPath: root.path + "/Sources") {
            let folder = root.appending(path: "Sources/\(module)")
            let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
                // The types around a line, with their indentation.
                var types: [(indentation: Int, name: Substring)] = []
                for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                where line.last == "{" || line.contains("static let ") {
                    let indentation = line.prefix { $0 == " " }.count
                    if let type = line.firstMatch(
                        of:
                            #/^ *(?:(?:public|package|private|fileprivate|final|indirect) )*(?:struct|enum|class|extension) (\w+)/#
                    ) {
                        types.removeAll { $0.indentation >= indentation }
                        types.append((indentation, type.1))
                    }
                    guard
                        let constant = line.firstMatch(
                            of: #/^ *(?:(?:public|package|private|fileprivate) )*static let (\w+)(?:: [\w.]+)? = (.+)$/#
                        ),
                        let type = types.last(where: { $0.indentation < indentation })
                    else { continue }
                    found["\(type.name).\(constant.1)"] = "\(module) \(constant.2)"
                }
            }
        }
        return found
    }

    /// The rows of the page: the constant's name and the value.
    private func rows() throws -> [(name: String, value: String)] {
        let page = try String(
            contentsOf: Self.root.appending(path: "Documentation/Forgetmenot.docc/Rules/Limits.md"), encoding: .utf8)
        return page.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard cells.count == 6, let name = cells[3].firstMatch(of: #/^`(\w+\.\w+)`$/#) else { return nil }
            return (String(name.1), cells[2])
        }
    }

    /// `4 MiB` as a number of bytes, `5 min` as a number of seconds.
    private func number(_ text: String) -> Int? {
        let words = text.split(separator: " ")
        let units = ["KiB": 1 << 10, "MiB": 1 << 20, "s": 1, "min": 60, "h": 3600, "d": 86_400]
        guard let first = words.first, let value = Int(first.filter { $0 != "," }) else { return nil }
        if words.count == 1 { return value }
        return units[String(words[1])].map { $0 * value }
    }

    /// The value of an expression of whole numbers, other constants and `Interval.seconds`.
    private func value(of expression: String, _ constants: [String: String]) -> Int? {
        var text = expression.replacing("_", with: "")
        if let seconds = text.wholeMatch(of: #/(?:Interval)?\.seconds\((.+)\)/#) { text = String(seconds.1) }
        for (symbol, apply) in [
            ("+", { $0 + $1 }), ("<<", { $0 << $1 }), ("*", { $0 * $1 }), ("/", { $0 / $1 }),
        ] as [(String, (Int, Int) -> Int)] {
            var depth = 0
            for index in text.indices {
                depth += text[index] == "(" ? 1 : text[index] == ")" ? -1 : 0
                guard depth == 0, text[index...].hasPrefix(" \(symbol) ") else { continue }
                let rest = text.index(index, offsetBy: symbol.count + 2)
                guard let left = value(of: String(text[..<index]), constants),
                    let right = value(of: String(text[rest...]), constants)
                else { return nil }
                return apply(left, right)
            }
        }
        if text.hasPrefix("("), text.hasSuffix(")") { return value(of: String(text.dropFirst().dropLast()), constants) }
        return Int(text)
            ?? constants[text].flatMap { value(of: String($0.split(separator: " ", maxSplits: 1)[1]), constants) }
    }

    @Test func `each limit on the page Limits has the value of the code`() throws {
        let constants = try Self.constants.get()
        let rows = try rows()
        try #require(rows.count > 50)
        #expect(Set(rows.map(\.name)).count == rows.count, "a limit has two rows")
        for row in rows {
            let constant = try #require(constants[row.name], "\(row.name) does not exist")
            let expression = String(constant.split(separator: " ", maxSplits: 1)[1])
            #expect(
                value(of: expression, constants) == number(row.value), "\(row.name) = \(expression), not \(row.value)")
        }
    }

    @Test func `each limit of the code has a row on the page Limits`() throws {
        let named = Set(try rows().map(\.name))
        for (name, constant) in try Self.constants.get() {
            let member = name.split(separator: ".")[1]
            guard member.wholeMatch(of: #/(most|longest|largest|limit|capacity)[A-Z]?\w*/#) != nil,
                Self.modules.contains(String(constant.split(separator: " ")[0])), !Self.computed.contains(name)
            else { continue }
            #expect(named.contains(name), "\(name) of \(constant)")
        }
    }
}
