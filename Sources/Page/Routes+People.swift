import Messages

/// People: where they are; added, changed and removed by the same requests as the commands send.
extension Routes {
    var peopleRoutes: [Route] {
        [
            Route(.get, "api/v1/people", .reader) { (_) throws(Refused) in
                .json(board.peopleJSON())
            },
            Route(.post, "api/v1/people", .admin, mostBytes: JSONLimits.payload.bytes) { (call) throws(Refused) in
                let requested = try call.read(Person.self)
                try Self.check(name: requested.name)
                return .json(status: .created, try await link.ask(.addPerson, requested).person.writeFields)
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
                return .json(try await link.ask(.editPerson, changes).person.writeFields)
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
        guard let person = board.people.first(where: { $0.person.id == id }) else {
            throw Refused(.notFound, "There is no person \"\(id)\".")
        }
        return person
    }
}
