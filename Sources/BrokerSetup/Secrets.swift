import Glibc
import Linux
import Settings

/// The listener that a client uses.
enum Group: String, CaseIterable {
    case gateways
    case users
}

// Passwords. The broker has only their hashes. The passwords themselves are in `secrets` until the user deletes them there.
extension SetupFolder {
    /// The file with a client's password.
    func password(of name: String) -> String { "secrets/\(name).password" }

    /// Makes a password for each of `names` without one, and removes the passwords of all others, and first those of `removed`.
    mutating func setPasswords(
        of names: [String], in group: Group, afterRemoving removed: [String]
    ) throws(Failure) {
        let file = "\(group).passwords"
        var lines = (try text(file) ?? "").split(separator: "\n").map(String.init)
        func name(_ line: String) -> String { String(line.prefix { $0 != ":" }) }
        for name in lines.map(name) where !names.contains(name) || removed.contains(name) {
            note("\(name) is no longer let in.")
            unlink(self.file(password(of: name)))
        }
        lines.removeAll { !names.contains(name($0)) || removed.contains(name($0)) }
        let known = lines.map(name)
        for name in names where !known.contains(name) {
            lines.append(try hashed(try newPassword(of: name), of: name))
            note("\(name) has a password.")
        }
        try write(lines.map { $0 + "\n" }.joined(), to: file, for: .broker, quietly: true)
    }

    private mutating func newPassword(of name: String) throws(Failure) -> String {
        let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
        // 24 letters of 32 are 120 bits. The alphabet has no letters that look alike.
        let password = String((0..<24).map { _ in letters.randomElement()! })
        try write(password + "\n", to: self.password(of: name), for: .nobody, quietly: true)
        return password
    }

    /// The line of mosquitto's password file, made by mosquitto_passwd. The password is never a program's argument.
    private mutating func hashed(_ password: String, of name: String) throws(Failure) -> String {
        let temporary = "secrets/new"
        defer { unlink(file(temporary)) }
        try write("\(name):\(password)\n", to: temporary, for: .nobody, quietly: true)
        try run(["mosquitto_passwd", "-U", file(temporary)], from: "mosquitto")
        let line = (try text(temporary) ?? "").split(separator: "\n").first.map(String.init) ?? ""
        guard line.hasPrefix("\(name):$") else {
            throw Failure(
                .unavailable, "mosquitto_passwd did not hash the password of \(name): check the version of mosquitto")
        }
        return line
    }
}

// Certificates, made by openssl. Elliptic keys are small, and fast on small machines.
extension SetupFolder {
    private enum Purpose {
        case authority
        case server(host: String)
        case client

        var extensions: String {
            switch self {
            case .authority: "basicConstraints = critical, CA:TRUE\nkeyUsage = critical, keyCertSign, cRLSign"
            case .server(let host):
                """
                basicConstraints = critical, CA:FALSE
                authorityKeyIdentifier = keyid
                extendedKeyUsage = serverAuth
                subjectAltName = \(SetupFolder.names(of: host).joined(separator: ", "))
                """
            case .client:
                "basicConstraints = critical, CA:FALSE\nauthorityKeyIdentifier = keyid\nextendedKeyUsage = clientAuth"
            }
        }
    }

    /// Makes the broker's authority and certificate, if they are missing or cut off. Existing keys stay. To replace a certificate, delete it first.
    ///
    /// - Parameter isElsewhere: whether the broker's name changed. The broker then gets a new certificate, and the former one stays beside it.
    mutating func setServerCertificate(for host: String, isElsewhere: Bool) throws(Failure) {
        let isOfNewAuthority = try makeAuthority("ca", "Forgetmenot broker")
        let (hasCertificate, hasKey) = (try hasPEM("server.crt"), try hasPEM("server.key"))
        let isThere = hasCertificate && hasKey
        if isElsewhere || isOfNewAuthority || !isThere {
            // The names are in the extensions. A subject has at most 64 characters.
            try make("server", key: "server.key", "mosquitto", .server(host: host), by: "ca", storesFormer: isThere)
            note("The broker has a certificate for \(host).")
        }
        try give("server.crt", to: .everybody)
        try give("server.key", to: .broker)
    }

    /// Makes the authorities of the clients, and one certificate for each client, if they are missing.
    mutating func setClientCertificates(_ site: SiteBroker) throws(Failure) {
        for group in Group.allCases { try makeAuthority("\(group)-ca", "Forgetmenot \(group)") }
        for gateway in site.gateways { try makeClient(gateway.id, in: .gateways) }
        for user in [site.aggregator] + site.users { try makeClient(user, in: .users) }
    }

    /// Returns whether it was missing.
    @discardableResult
    private mutating func makeAuthority(_ name: String, _ commonName: String) throws(Failure) -> Bool {
        guard try !hasPEM("\(name).crt") else { return false }
        guard try !hasPEM("authorities/\(name).key") else {
            throw Failure(
                .disk,
                "\(file("authorities/\(name).key")) exists without \(file("\(name).crt")): restore the certificate, or delete the key"
            )
        }
        try make(name, key: "authorities/\(name).key", commonName, .authority, by: nil)
        try give("\(name).crt", to: .everybody)
        note("Made the authority \(file("\(name).crt")).")
        return true
    }

    private mutating func makeClient(_ name: String, in group: Group) throws(Failure) {
        let stem = "secrets/\(name)"
        // A client whose key was moved away has that key.
        guard !has("\(stem).crt") else { return }
        try make(stem, key: "\(stem).key", name, .client, by: "\(group)-ca")
        note("\(name) has a certificate.")
    }

    /// Whether a file has a certificate or a key, and its end.
    private func hasPEM(_ name: String) throws(Failure) -> Bool {
        let text = try text(name) ?? ""
        return text.contains("-----BEGIN ") && text.contains("-----END ")
    }

    /// Makes a key, and a certificate of `authority`, or of the key itself. Both replace the former ones only when they are complete.
    private mutating func make(
        _ stem: String, key: String, _ commonName: String, _ purpose: Purpose, by authority: String?,
        storesFormer: Bool = false
    ) throws(Failure) {
        let work = "secrets/.new"
        defer { deleteFolder(work) }
        deleteFolder(work)
        try orFail(.disk) { try StateFolder(path: file(work)).make(mode: 0o700) }
        try write("", to: "\(work)/index", for: .nobody, quietly: true)
        // In openssl's file, a backslash takes the meaning from the character behind it.
        let folder = file(work).map { $0.isASCII && !$0.isLetter && !$0.isNumber ? "\\\($0)" : "\($0)" }.joined()
        let settings = """
            [req]
            prompt = no
            distinguished_name = subject
            [subject]
            CN = \(commonName)
            [ca]
            default_ca = own
            [own]
            database = \(folder)/index
            serial = \(folder)/serial
            new_certs_dir = \(folder)
            default_md = sha256
            policy = policy
            x509_extensions = extensions
            [policy]
            commonName = supplied
            [extensions]
            subjectKeyIdentifier = hash
            \(purpose.extensions)

            """
        try run(
            ["openssl", "req", "-new", "-batch", "-config", "/dev/stdin", "-newkey", "ec", "-pkeyopt"]
                + ["ec_paramgen_curve:prime256v1", "-nodes", "-keyout", file("\(work)/key")]
                + ["-out", file("\(work)/request")], input: settings, from: "openssl")
        let signer =
            authority.map { ["-cert", file("\($0).crt"), "-keyfile", file("authorities/\($0).key")] }
            ?? ["-selfsign", "-keyfile", file("\(work)/key")]
        try run(
            ["openssl", "ca", "-batch", "-config", "/dev/stdin", "-notext", "-create_serial"] + Self.validity + signer
                + ["-in", file("\(work)/request"), "-out", file("\(work)/certificate")], input: settings,
            from: "openssl")
        guard try hasPEM("\(work)/key"), try hasPEM("\(work)/certificate") else {
            throw Failure(.unavailable, "openssl wrote no certificate: is the disk of \(path) full?")
        }
        try orFail(.disk) {
            let (key, certificate) = (file(key), file("\(stem).crt"))
            let staged = [
                try StagedFile(readFile(at: file("\(work)/key")), for: key),
                try StagedFile(readFile(at: file("\(work)/certificate")), for: certificate),
            ]
            for name in storesFormer ? [key, certificate] : [] { rename(name, name + ".old") }
            for file in staged { try file.commit() }
        }
    }

    /// The options for the time in which a certificate is valid.
    ///
    /// It begins long before now: a machine without a clock may have the time of its image until it reaches a time server. It ends in twenty
    /// years: an expired certificate silences a house, and nobody renews it.
    private static var validity: [String] {
        var (now, date) = (time(nil), tm())
        gmtime_r(&now, &date)
        return ["-startdate", "20200101000000Z", "-enddate", "\(max(date.tm_year + 1920, 2045))0101000000Z"]
    }

    /// Deletes a folder of files.
    private func deleteFolder(_ name: String) {
        for entry in (try? StateFolder(path: file(name)).entries()) ?? [] { unlink(file("\(name)/\(entry)")) }
        rmdir(file(name))
    }

    /// The names of the broker's certificate, for openssl: `host` and those of this machine.
    fileprivate static func names(of host: String) -> [String] {
        let machine = localHostName()
        let own = isPlain(machine, and: ".") && !machine.isEmpty ? ["DNS:\(machine)", "DNS:\(machine).local"] : []
        return ["\(isAddress(host) ? "IP" : "DNS"):\(host)", "DNS:localhost", "IP:127.0.0.1"] + own
    }

    private static func isAddress(_ host: String) -> Bool {
        var four = in_addr()
        var six = in6_addr()
        return inet_pton(AF_INET, host, &four) == 1 || inet_pton(AF_INET6, host, &six) == 1
    }
}
