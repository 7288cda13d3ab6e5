import Glibc

/// This host's name without its domain; empty if the kernel does not return one.
package func localHostName() -> String {
    var name = [UInt8](repeating: 0, count: 256)
    let isKnown = name.withUnsafeMutableBytes { gethostname($0.baseAddress!, $0.count - 1) == 0 }
    return isKnown ? String(decoding: name.prefix { $0 != 0 && $0 != UInt8(ascii: ".") }, as: UTF8.self) : ""
}

/// The name or address under which other machines of the network reach this one; `nil` if there is no network.
package func reachableHost() -> String? {
    // An address may change.
    if let name = avahiName() { return name }
    let socket = FileDescriptor(owning: socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
    var address = sockaddr_in()
    (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), UInt16(9).bigEndian)
    // An address for documents (RFC 5737). Connecting a datagram socket sends nothing, and chooses this machine's address.
    address.sin_addr.s_addr = UInt32(0xC000_0201).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isChosen = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(socket.number, $0, length) == 0 && getsockname(socket.number, $0, &length) == 0
        }
    }
    var text = [CChar](repeating: 0, count: Int(INET_ADDRSTRLEN))
    guard isChosen, inet_ntop(AF_INET, &address.sin_addr, &text, socklen_t(text.count)) != nil else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// The name of this machine that avahi resolves in the network; `nil` if avahi does not run. It is not always this host's name: of two machines
/// with one name, the later one gets another from avahi.
private func avahiName() -> String? {
    let call = ["org.freedesktop.Avahi", "/", "org.freedesktop.Avahi.Server", "GetHostNameFqdn"]
    guard let output = try? MemoryFile(for: "the response of avahi"),
        let program = try? Subprocess(
            ["busctl", "--auto-start=no", "--timeout=5", "call"] + call, input: [], output: output, errors: "/dev/null"),
        program.waitForEnd() == .exited(0)
    else { return nil }
    // s "hub.local"
    let parts = String(decoding: output.contents(limit: 1024), as: UTF8.self).split(separator: "\"")
    return parts.count > 1 ? String(parts[1]) : nil
}
