/// A body without members: most requests, and responses that only report success.
package struct Nothing: Body {
    package init() {}

    package func writeFields(to json: inout JSONWriter) {}

    package init(reading fields: inout Fields) throws(PayloadRefusal) {}
}
