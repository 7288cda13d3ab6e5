// The files for mosquitto. BrokerSetupTests proves the effect of each line by removing it.
extension SiteBroker {
    /// The largest packet that the broker accepts: the largest payload that our programs read, and room for its topic.
    static let largestPacket = (1 << 20) + (64 << 10)

    /// The most bytes that may wait for one client: what an aggregator of 100,000 items receives when it connects.
    static let mostWaiting = 256 << 20
    /// More messages than fit into these bytes; the file states why it is not 0. A gateway with a new id publishes its former events where it may not.
    static let mostMessages = 10_000_000
    /// The most memory that the broker may use, in bytes.
    static let mostMemory = 1 << 30
    /// The most clients of one listener.
    static let mostClients = 1000

    /// The text of mosquitto.conf, for files in `folder`.
    func mosquittoConfiguration(in folder: String) -> String {
        """
        # Written by `forgetmenot broker-setup`, which overwrites it at its next run. It works together with Debian's own mosquitto.conf.

        # Each listener has its own users: a gateway's password must not open the listener where client ids are free.
        per_listener_settings true
        # Larger than any message of Forgetmenot. A client that sends more is disconnected.
        max_packet_size \(Self.largestPacket)
        # Counted in messages, mosquitto's limit is 1000: it silently drops the rest of a large registry for a client that connects. With 0, for
        # no limit, mosquitto 2.0.11 ends the connection of each client that publishes where it may not.
        max_queued_messages \(Self.mostMessages)
        # These limits count bytes: those that wait for one client, and all that the broker stores.
        max_queued_bytes \(Self.mostWaiting)
        memory_limit \(Self.mostMemory)

        # Gateways. A gateway's user name is its client id, so that no gateway can take over another's session. Works only below "listener".
        \(listeners(gatewayPort, tls?.gateways, .gateways, ["use_username_as_clientid true"], in: folder))
        # People, home automation and the aggregator. Their client ids are free.
        \(listeners(port, tls?.users, .users, in: folder))
        """
    }

    /// The listener on `port`, and the listener for other machines on `tlsPort`.
    private func listeners(
        _ port: Int, _ tlsPort: Int?, _ group: Group, _ more: [String] = [], in folder: String
    ) -> String {
        var lines = listener(port, at: tlsPort == nil ? bind : "127.0.0.1", group, in: folder) + proof(group, folder)
        lines += more + [""]
        if let tlsPort {
            lines += listener(tlsPort, at: bind, group, in: folder) + proof(group, folder) + certificate(folder)
            lines += more + [""]
        }
        return lines.joined(separator: "\n")
    }

    private func listener(_ port: Int, at bind: String?, _ group: Group, in folder: String) -> [String] {
        [
            "listener \(port)" + (bind.map { " \($0)" } ?? ""), "max_connections \(Self.mostClients)",
            "allow_anonymous false", "acl_file \(folder)/\(group).acl",
        ]
    }

    private func proof(_ group: Group, _ folder: String) -> [String] {
        switch proof {
        case .passwords: ["password_file \(folder)/\(group).passwords"]
        case .certificates:
            certificate(folder) + [
                "# Its own authority: clients of the other listener are refused here.",
                "cafile \(folder)/\(group)-ca.crt", "require_certificate true", "use_identity_as_username true",
            ]
        }
    }

    private func certificate(_ folder: String) -> [String] {
        ["certfile \(folder)/server.crt", "keyfile \(folder)/server.key"]
    }

    /// The rights of gateways: each under its own name, `%u`.
    var gatewaysACL: String {
        """
        # Written by `forgetmenot broker-setup`, which overwrites it at its next run. %u is the gateway's user name.
        pattern write \(prefix)/gateways/%u/#
        pattern write \(prefix)/beacons/+/+/+/%u/#
        pattern write \(prefix)/regions/+/%u/#
        pattern write \(elsewhere.homeAssistant)/device/forgetmenot-%u/config
        pattern read \(prefix)/gateways/%u/request/#
        pattern read \(prefix)/registry/#
        pattern read \(prefix)/items/+/aliases
        pattern read \(elsewhere.homeAssistant)/status

        """
    }

    /// The rights of the aggregator, home automation and people.
    var usersACL: String {
        let others = [elsewhere.homeAssistant, elsewhere.rooms].compactMap(\.self)
        func topics(_ access: String) -> String { others.map { "topic \(access) \($0)/#" }.joined(separator: "\n") }
        var text = """
            # Written by `forgetmenot broker-setup`, which overwrites it at its next run.
            user \(aggregator)
            topic readwrite \(prefix)/#
            \(topics("readwrite"))

            """
        for user in users {
            text += """

                user \(user)
                topic read \(prefix)/#
                \(topics("read"))
                topic write \(elsewhere.homeAssistant)/status
                topic write \(prefix)/gateways/+/request/#
                topic write \(prefix)/items/+/request/#
                topic write \(prefix)/items/+/aliases
                topic write \(prefix)/rooms/+/occupancy
                topic write \(prefix)/aggregator/request/#

                """
        }
        return text
    }
}
