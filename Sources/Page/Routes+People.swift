import Channels
import Hummingbird
import Messages

/// People: where they are; added, changed and removed by the same requests as the commands send.
extension Routes {
    var peopleRoutes: [Route] {
        [
            Route(.get, "api/v1/people", .reader) { (_) throws(Refused) in
                .json(board.read(\.peopleJSON))
            },
            Route(.post, "api/v1/people", .admin, mostBytes: JSONLimits.payload.bytes) { (call) throws(Refused) in
                let requested = try call.read(Person.self)
                try Self.check(name: requested.name)
                return .json(status: .created, try await link.ask(.addPerson, requested).entry.writeFields)
            },
            Route(.patch, "api/v1/people/{person}", .admin, mostBytes: JSONLimits.payload.bytes) {
                (call) throws(Refused) in
                let object = try call.object()
                try object.refuseOthers(than: "name", "carries")
                guard !object.members.isEmpty else { throw Refused(.badRequest, "The body changes nothing.") }
                var changes = EditedPerson(NameOrID(name: try known(call).person.id))
                if let name = object["name"] {
                    guard let name = name.string else { throw Refused(.badRequest, "\"name\" is not a text.") }
                    try Self.check(name: name)
                    changes.newName = name
                }
                if let carries = object["carries"] {
                    guard let items = carries.array?.map(\.string), !items.contains(nil) else {
                        throw Refused(.badRequest, "\"carries\" is not an array of texts.")
                    }
                    changes.carries = items.compactMap(\.self)
                }
                return .json(try await link.ask(.editPerson, changes).entry.writeFields)
            },
            Route(.delete, "api/v1/people/{person}", .admin) { (call) throws(Refused) in
                let id = try known(call).person.id
                _ = try await link.ask(.removePerson, NameOrID(name: id))
                return .nothing
            },
        ]
    }

    /// The person of the path.
    func known(_ call: Call) throws(Refused) -> PersonLocation {
        let id = call.parameter("person")
        guard let person = board.read(\.view.sortedPeople).first(where: { $0.person.id == id }) else {
            throw Refused(.notFound, "There is no person \"\(id)\".")
        }
        return person
    }

    // MARK: Messages to persons

    var messageRoutes: [Route] {
        [
            // The button of a message on a phone, which has not signed in. The token is in that message alone, and works once.
            Route(.post, "acknowledge/{token}", .anybody) { (call) throws(Refused) in
                _ = try await link.ask(.acknowledgeMessage, MessageToken(token: call.parameter("token")))
                return .nothing
            },
            Route(.post, "api/v1/people/{person}/test", .admin) { (call) throws(Refused) in
                let response = try await link.ask(.testPerson, NameOrID(name: try known(call).person.id))
                return .json(response.writeFields)
            },
        ]
    }

    // MARK: The browsers that get messages

    var subscriptionRoutes: [Route] {
        [
            Route(.get, "api/v1/push-key", .admin) { (_) throws(Refused) in
                let key = try subscriptions.publicKey()
                return .json { $0.field("key", base64URL(key)) }
            },
            Route(.get, "api/v1/people/{person}/subscriptions", .admin) { (call) throws(Refused) in
                let all = try subscriptions.subscriptions(of: try known(call).person.id)
                return .json { json in
                    json.array("subscriptions") { json in
                        for one in all { json.object { Self.write(one, to: &$0) } }
                    }
                }
            },
            Route(.post, "api/v1/people/{person}/subscriptions", .admin, mostBytes: 4096) { (call) throws(Refused) in
                let object = try call.object()
                try object.refuseOthers(than: "name", "endpoint", "expirationTime", "keys")
                var fields = Fields(object)
                let person = try known(call).person.id
                let subscription: PushSubscription
                do throws(PayloadRefusal) {
                    subscription = try PushSubscription(of: person, reading: &fields)
                } catch {
                    throw Refused(error)
                }
                try subscriptions.add(subscription)
                return .json(status: .created) { Self.write(subscription, to: &$0) }
            },
            Route(.delete, "api/v1/people/{person}/subscriptions/{subscription}", .admin) { (call) throws(Refused) in
                let id = call.parameter("subscription")
                guard try subscriptions.remove(id, of: call.parameter("person")) else {
                    throw Refused(.notFound, "There is no subscription \"\(id)\".")
                }
                return .nothing
            },
        ]
    }

    /// What everybody may know who may change the subscription: neither its endpoint nor its keys.
    private static func write(_ subscription: PushSubscription, to json: inout JSONWriter) {
        json.field("id", subscription.id)
        json.field("name", subscription.name)
    }
}
