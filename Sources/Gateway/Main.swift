@main
struct GatewayCommand {
    static func main() {}
}
