import Glibc

@main
enum Truth {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        var days = 200.0
        if let flag = arguments.firstIndex(of: "--days"), flag + 1 < arguments.count {
            days = Double(arguments[flag + 1]) ?? days
        }
        SceneTable.print(days: days, only: arguments.firstIndex(of: "--only").map { [arguments[$0 + 1]] } ?? [])
    }
}
