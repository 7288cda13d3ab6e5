import Linux

/// A machine of this network that announces by mDNS where a site waits for gateways. Anybody may announce that: only the code shows who is the site.
package struct AnnouncedSite: Hashable, Sendable {
    static let service = "_forgetmenot._tcp"
    /// More may be false ones that only take time.
    private static let most = 8

    package let host: String
    package let port: Int

    /// Reads a line of `avahi-browse --parsable --resolve`; `nil` if it has no address.
    init?(parsing line: String) {
        let fields = line.split(separator: ";", omittingEmptySubsequences: false).map(String.init)
        guard fields.count > 8, fields[0] == "=", let port = UInt16(fields[8]) else { return nil }
        // An address of one link counts only with its interface.
        host = fields[7].hasPrefix("fe80:") ? "\(fields[7])%\(fields[1])" : fields[7]
        self.port = Int(port)
    }

    /// The sites that avahi finds within seconds, each once; throws without avahi.
    package static func all() throws(Failure) -> [AnnouncedSite] {
        let words = ["--parsable", "--resolve", "--terminate", "--no-db-lookup", service]
        let output = try orFail(.unavailable) { () throws(SystemError) in try MemoryFile(for: "the list of sites") }
        guard
            let browse = try? Subprocess(
                ["timeout", "15", "avahi-browse"] + words, input: [], output: output, errors: "/dev/null"),
            // Who announces again and again keeps it from ending: then what was found until the time limit counts.
            [.exited(0), .exited(124)].contains(browse.waitForEnd())
        else {
            throw Failure(
                .unavailable,
                "the site cannot be found, because avahi does not run or avahi-utils is not installed: give the host that "
                    + "`forgetmenot gateways invite` has printed before the code")
        }
        var sites: [AnnouncedSite] = []
        let text = String(decoding: output.contents(limit: 1 << 16), as: UTF8.self)
        for line in text.split(whereSeparator: \.isNewline) where sites.count < most {
            if let site = AnnouncedSite(parsing: String(line)), !sites.contains(site) { sites.append(site) }
        }
        return sites
    }
}

extension Invitation {
    /// Fetches the configuration from the first site that proves that it knows the code. To the others, the gateway proves nothing that they could
    /// use.
    ///
    /// - Parameter port: replaces those that the sites announce.
    package static func fetch(
        from sites: [AnnouncedSite], port: Int? = nil, code: JoinCode
    ) throws(Failure) -> String {
        for site in sites {
            if let text = try? fetch(from: site.host, port: port ?? site.port, code: code) { return text }
        }
        let found = sites.isEmpty ? "no site announces itself here" : "no site that announces itself here has this code"
        throw Failure(
            .unavailable, "\(found): give the host that `forgetmenot gateways invite` has printed before the code")
    }
}
