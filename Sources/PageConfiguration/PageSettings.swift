import Beacons
import Channels
import Settings

/// The `[page]` table: the web page and the HTTP interface.
package struct PageSettings: Hashable, Sendable {
    /// What a user or a token may do.
    package enum Role: String, CaseIterable, Hashable, Sendable {
        /// Read everything that the page shows.
        case reader
        /// Read and change everything.
        case admin
    }

    /// A password, as scrypt (RFC 7914) stores it.
    package struct Password: Hashable, Sendable, CustomStringConvertible {
        /// The binary logarithm of the cost: 10 to 17, so that a guess takes at most 128 MB.
        package var cost: Int
        /// The random bytes that make equal passwords differ: 16 to 64.
        package var salt: [UInt8]
        /// The result of scrypt for the password: 32 bytes.
        package var hash: [UInt8]

        package init(cost: Int, salt: [UInt8], hash: [UInt8]) {
            self.cost = cost
            self.salt = salt
            self.hash = hash
        }

        /// The text of the configuration: `scrypt:15:{salt}:{hash}`.
        package var description: String { "scrypt:\(cost):\(hexadecimal(salt)):\(hexadecimal(hash))" }

        /// Reads the text of the configuration.
        package init?(_ text: String) {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 4, parts[0] == "scrypt", let cost = Int(parts[1]), (10...17).contains(cost),
                let salt = bytes(ofHexadecimal: String(parts[2])), (16...64).contains(salt.count),
                let hash = bytes(ofHexadecimal: String(parts[3])), hash.count == 32
            else { return nil }
            self.init(cost: cost, salt: salt, hash: hash)
        }
    }

    /// A person who signs in with a password.
    package struct User: Hashable, Sendable {
        package var name: String
        package var password: Password
        /// What the user may do.
        package var role: Role
    }

    /// A program that sends `Authorization: Bearer`.
    package struct Token: Hashable, Sendable {
        /// What the token is for; it only distinguishes tokens in this file.
        package var name: String
        /// The SHA-256 of the token, so that the file does not contain the token: 32 bytes.
        package var sha256: [UInt8]
        /// What the token may do.
        package var role: Role
    }

    package struct TLS: Hashable, Sendable {
        /// The certificate of this host, and behind it those of the authorities that signed it, in PEM.
        package var certificateFile: String
        /// The private key of the certificate, in PEM.
        package var keyFile: String
    }

    package var isEnabled = true
    /// The address to bind to, without brackets.
    package var host = "127.0.0.1"
    /// The port, 0 to 65535; with 0 the kernel chooses one.
    package var port = 8124
    /// The certificate; `nil`: the page serves HTTP without TLS.
    package var tls: TLS?
    /// The path under which a reverse proxy publishes the page: begins and ends with a slash.
    package var basePath = "/"
    /// The URL at which phones reach the page, without a slash at its end; `nil`: messages do not link to the page.
    package var url: String?
    /// The push services to which messages are sent, as ``PushSubscription/isAt(_:)`` reads them. Browsers name theirs, and nobody shall make this
    /// machine send requests to others.
    package var pushServices = PushSubscription.usualServices
    /// The origins whose pages may show this page in a frame, like `http://homeassistant.local:8123`.
    package var frameAncestors: [String] = []
    /// Whether Home Assistant serves the page to the users that it has signed in. Then ``supervisor`` alone may send requests.
    package var isIngress = false
    /// The user names of Home Assistant that may only read.
    package var ingressReaders: [String] = []
    /// Who may sign in.
    package var users: [User] = []
    /// The programs that may use the HTTP interface.
    package var tokens: [Token] = []

    package init() {}

    /// Whether only this machine can reach the page.
    package var isOnLoopback: Bool { Self.isLoopback(host) }

    /// The URL of the page, as far as the settings know.
    package var address: String {
        url ?? "\(tls == nil ? "http" : "https")://\(host.contains(":") ? "[\(host)]" : host):\(port)/"
    }

    /// Whether a host can only be this machine: `localhost`, `::1`, or an IPv4 address of four numbers that begins with 127.
    ///
    /// A name like `127.evil.example` begins with 127 as well, and may be resolved to any address.
    package static func isLoopback(_ host: String) -> Bool {
        if ["localhost", "::1"].contains(host.lowercased()) { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127"
            && numbers.allSatisfy { (1...3).contains($0.utf8.count) && $0.utf8.allSatisfy(isDigit) && UInt8($0) != nil }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Whether nobody needs to sign in. That is only so on the loopback address, and without users and tokens.
    package var isOpen: Bool { !isIngress && isOnLoopback && users.isEmpty && tokens.isEmpty }

    package var needsSignIn: Bool { !isOpen && !isIngress }

    /// That nobody can sign in as admin, in a sentence; `nil` if somebody can, or nobody needs to sign in.
    package var lacksAdmin: String? {
        guard isEnabled, needsSignIn, !users.contains(where: { $0.role == .admin }) else { return nil }
        return "nobody can sign in to the page to change anything: add a [[page.user]] of role \"admin\", "
            + "\"forgetmenot page password NAME\" prints its lines"
    }

    /// The address of Home Assistant's supervisor, as its documentation of apps states it.
    package static let supervisor = "172.30.32.2"

    init(_ page: SettingsTable) {
        isEnabled = page.boolean("enabled") ?? isEnabled
        if let address = page.address("address") { (host, port) = address }
        let certificateFile = page.path("certificate_file")
        let keyFile = page.path("key_file")
        for (key, other) in [("certificate_file", "key_file"), ("key_file", "certificate_file")]
        where page.has(key) && !page.has(other) {
            page.note(key, "stands without \(other): TLS needs both")
        }
        if let certificateFile, let keyFile { tls = TLS(certificateFile: certificateFile, keyFile: keyFile) }
        basePath = page.basePath("base_path") ?? basePath
        url = page.url("url")
        pushServices = page.texts("push_services", count: 1...Self.most) ?? pushServices
        frameAncestors = page.origins("frame_ancestors") ?? []
        isIngress = page.boolean("ingress") ?? isIngress
        ingressReaders = page.texts("ingress_readers", count: 1...Self.most) ?? ingressReaders
        if isIngress {
            for key in ["user", "token", "certificate_file", "base_path"] where page.has(key) {
                page.note(key, "stands beside ingress = true, where Home Assistant signs its users in: remove it")
            }
        }
        var names = UniqueNames()
        users = page.tables("user").compactMap { table in
            let name = table.required.text("name", limit: 64)
            names.check(name, "name", in: table)
            let password = table.required.password("password")
            let role = table.word("role", of: Role.self) ?? .admin
            guard let name, let password else { return nil }
            return User(name: name, password: password, role: role)
        }
        var tokenNames = UniqueNames()
        tokens = page.tables("token").compactMap { table in
            let name = table.required.text("name", limit: 64)
            tokenNames.check(name, "name", in: table)
            let sha256 = table.required.digest("sha256")
            let role = table.word("role", of: Role.self) ?? .reader
            guard let name, let sha256 else { return nil }
            return Token(name: name, sha256: sha256, role: role)
        }
        if users.count > Self.most { page.note("user", "is written \(users.count) times: at most \(Self.most)") }
        if tokens.count > Self.most { page.note("token", "is written \(tokens.count) times: at most \(Self.most)") }
        // A user whose table has a mistake is no missing user.
        if isEnabled, !isOnLoopback, !isIngress, !page.has("user"), !page.has("token") {
            page.note(
                "address",
                "is \"\(host):\(port)\", which other machines can reach, and no [[page.user]] has a password: "
                    + "write one, \"forgetmenot page password\" prints its lines")
        }
    }

    /// The limit of users, and of tokens.
    private static let most = 64
}

extension SettingsTable {
    /// Reads `host:port`; an IPv6 address stands in brackets.
    fileprivate func address(_ key: String) -> (host: String, port: Int)? {
        parsed(key, "an address and a port like \"127.0.0.1:8124\", \"0.0.0.0:8124\" or \"[::1]:8124\"") { text in
            guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
                return nil
            }
            var host = text[..<colon]
            if host.first == "[", host.last == "]" {
                host = host.dropFirst().dropLast()
            } else if host.contains(":") {
                return nil
            }
            guard !host.isEmpty, host.utf8.count <= 253,
                host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") })
            else { return nil }
            return (String(host), Int(port))
        }
    }

    fileprivate func basePath(_ key: String) -> String? {
        parsed(key, "a path that begins and ends with a slash, like \"/\" or \"/forgetmenot/\"") { text in
            let levels = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst().dropLast()
            guard isPlain(text, and: "./"), text.utf8.count <= 256, text.hasPrefix("/"), text.hasSuffix("/"),
                levels.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." })
            else { return nil }
            return text
        }
    }

    /// Reads origins without a path, which stand in the header `Content-Security-Policy`.
    fileprivate func origins(_ key: String) -> [String]? {
        guard let origins = texts(key, count: 1...16) else { return nil }
        for origin in origins {
            let rest = ["http://", "https://"].first(where: origin.hasPrefix).map { origin.dropFirst($0.count) }
            let isPlain = rest?.utf8.allSatisfy {
                $0 > 0x20 && $0 < 0x7F && !"/;,'\"*?#@".utf8.contains($0)
            }
            guard isPlain == true, rest?.isEmpty == false, origin.utf8.count <= 256 else {
                note(
                    key,
                    "has an entry that is no origin: write origins without a path, like \"http://homeassistant.local:8123\""
                )
                return nil
            }
        }
        return origins
    }

    fileprivate func password(_ key: String) -> PageSettings.Password? {
        parsed(key, "the text that \"forgetmenot page password\" prints") { PageSettings.Password($0) }
    }

    fileprivate func digest(_ key: String) -> [UInt8]? {
        parsed(key, "the 64 hexadecimal digits that \"forgetmenot page token\" prints") { text in
            bytes(ofHexadecimal: text).flatMap { $0.count == 32 ? $0 : nil }
        }
    }
}
