@main
struct AggregatorCommand {
    static func main() {}
}
