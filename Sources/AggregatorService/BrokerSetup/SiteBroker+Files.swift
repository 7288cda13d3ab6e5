import Beacons
import Messages

// What mosquitto reads. The lines' effects are proven by BrokerSetupTests, which take them out one by one.
extension SiteBroker {
    /// The largest packet that the broker takes: the largest payload that our programs read, and room for its topic.
    static let largestPacket = (1 << 20) + (64 << 10)

    /// What may wait for one client, in bytes: a registry of 10,000 items with the longest texts.
    static let mostWaiting = 64 << 20
    /// What the broker may take of the machine's memory, in bytes.
    static let mostMemory = 512 << 20
    /// How many clients may be connected to one listener.
    static let mostClients = 1000

    /// mosquitto.conf, for files that lie in `folder`.
    func mosquittoConfiguration(in folder: String) -> String {
        """
        # Written by `forgetmenot broker-setup`, and anew at its next run. It goes well with Debian's own mosquitto.conf.

        # Each listener has users of its own: a gateway's password must not open the listener where client ids are free to choose.
        per_listener_settings true
        # Larger than any message of ours: whoever sends more is disconnected.
        max_packet_size \(Self.largestPacket)
        # Counted in messages, mosquitto's limit is 1000: it silently drops the rest of a large registry for a client that connects.
        # These limits count bytes: those that wait for one client, and all that the broker stores.
        max_queued_messages 0
        max_queued_bytes \(Self.mostWaiting)
        memory_limit \(Self.mostMemory)

        # Gateways.
        \(listener(gatewayPort, "gateways", in: folder))
        # A gateway's name is its client id, so that none can take over another's session. It has an effect below "listener" alone.
        use_username_as_clientid true

        # People, home automation and the aggregator, whose programs choose their client ids.
        \(listener(port, "users", in: folder))

        """
    }

    private func listener(_ port: Int, _ group: String, in folder: String) -> String {
        var lines = [
            "listener \(port)" + (bind.map { " \($0)" } ?? ""), "max_connections \(Self.mostClients)",
            "allow_anonymous false",
            "acl_file \(folder)/\(group).acl",
        ]
        switch proof {
        case .passwords: lines.append("password_file \(folder)/\(group).passwords")
        case .certificates:
            lines += [
                "certfile \(folder)/server.crt", "keyfile \(folder)/server.key",
                "# Its own authority: the other listener's clients are not let in here.",
                "cafile \(folder)/\(group)-ca.crt", "require_certificate true", "use_identity_as_username true",
            ]
        }
        return lines.joined(separator: "\n")
    }

    /// What a gateway may do: each under its own name, `%u`.
    var gatewaysACL: String {
        """
        # Written by `forgetmenot broker-setup`, and anew at its next run. %u is the gateway that asks.
        pattern write \(prefix)/gateways/%u/#
        pattern write \(prefix)/beacons/+/+/+/%u/#
        pattern write \(prefix)/regions/+/%u/#
        pattern write homeassistant/device/forgetmenot-%u/config
        pattern read \(prefix)/gateways/%u/request/#
        pattern read \(prefix)/registry/#
        pattern read homeassistant/status

        """
    }

    /// What the aggregator, home automation and people may do.
    var usersACL: String {
        var text = """
            # Written by `forgetmenot broker-setup`, and anew at its next run.
            user \(aggregator)
            topic readwrite \(prefix)/#
            topic readwrite homeassistant/#

            """
        for user in users {
            text += """

                user \(user)
                topic read \(prefix)/#
                topic read homeassistant/#
                topic write homeassistant/status
                topic write \(prefix)/gateways/+/request/#
                topic write \(prefix)/items/+/request/#
                topic write \(prefix)/aggregator/request/#

                """
        }
        return text
    }
}
