/// The response to `people/test`: what became of the message over each channel.
package struct ChannelTestResponse: Body {
    package struct Channel: Members {
        /// The channel as problems name it, like `mobile_app_pixel at http://homeassistant.local:8123`.
        package var name: String
        /// Why the message was not sent; `nil`: it was.
        package var problem: String?

        package init(name: String, problem: String?) {
            self.name = name
            self.problem = problem
        }

        package func writeFields(to json: inout JSONWriter) {
            json.field("name", name)
            json.field("sent", problem == nil)
            json.field("problem", problem)
        }

        package init(reading fields: inout Fields) throws(PayloadRefusal) {
            let isSent = try fields.optionalBool("sent") ?? false
            name = try fields.text("name")
            let problem = try fields.optionalText("problem")
            self.problem = isSent ? nil : problem ?? "unknown"
        }
    }

    /// The channels of the person, in the order of the configuration.
    package var channels: [Channel]

    package static let most = 100

    package init(channels: [Channel]) {
        self.channels = channels
    }

    package func writeFields(to json: inout JSONWriter) {
        json.array("channels", channels.prefix(Self.most))
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        channels = try fields.entries("channels", limit: Self.most)
    }
}
