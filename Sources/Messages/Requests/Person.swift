/// A person of the site: a name, and what the person carries.
///
/// The body of `request/people/add`, and an entry of the responses. In a request, an empty `id` is made from the name.
package struct Person: Body {
    package var id: String
    /// The name that people see.
    package var name: String
    /// The carried items, each by its id.
    package var carries: [String]

    package static let mostCarried = 16

    package init(id: String = "", name: String, carries: [String] = []) {
        (self.id, self.name, self.carries) = (id, name, carries)
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("id", id.isEmpty ? nil : id)
        json.field("name", name)
        json.field("carries", carries)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        id = fields.value("id") == nil ? "" : try fields.id("id")
        name = try fields.text("name")
        carries = try fields.optionalTexts("carries", limit: Self.mostCarried) ?? []
    }
}

/// The request `request/people/edit`: changes the name of a person, or what the person carries. The id stays.
package struct EditedPerson: Body {
    package var person: NameOrID
    /// The new name; `nil`: the name stays.
    package var newName: String?
    /// What the person carries from now on; `nil`: what it carried.
    package var carries: [String]?

    package init(_ person: NameOrID, newName: String? = nil, carries: [String]? = nil) {
        (self.person, self.newName, self.carries) = (person, newName, carries)
    }

    package func writeFields(to json: inout JSONWriter) {
        person.writeFields(to: &json)
        json.field("new_name", newName)
        json.field("carries", carries)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        person = try NameOrID(reading: &fields)
        newName = try fields.optionalText("new_name")
        carries = try fields.optionalTexts("carries", limit: Person.mostCarried)
        if fields.isStrict { try fields.refuseOthers() }
        guard newName != nil || carries != nil else {
            throw .senseless("The request changes nothing: give \"new_name\" or \"carries\".")
        }
    }
}
