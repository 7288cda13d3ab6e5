import Hummingbird
import Messages

/// Messages to persons.
extension Routes {
    var messageRoutes: [Route] {
        [
            // The button of a message on a phone, which has not signed in. The token is in that message alone, and works once.
            Route(.post, "acknowledge/{token}", .anybody) { (call) throws(Refused) in
                _ = try await link.ask(.acknowledgeMessage, MessageToken(token: call.parameter("token")))
                return .nothing
            },
            Route(.post, "api/v1/people/{person}/test", .admin) { (call) throws(Refused) in
                let response = try await link.ask(.testPerson, NameOrID(name: call.parameter("person")))
                return .json(response.writeFields)
            },
        ]
    }
}
