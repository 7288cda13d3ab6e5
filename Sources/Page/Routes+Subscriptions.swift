import Channels
import Hummingbird
import Messages

/// The browsers that get messages to a person.
extension Routes {
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
