/// The body of a `people/acknowledge` request: the token of the message, which only its recipient knows.
package struct MessageToken: Body {
    package var token: String

    package init(token: String) {
        self.token = token
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("token", token)
    }

    package init(reading fields: inout Fields) throws(PayloadRefusal) {
        token = try fields.text("token")
    }
}
