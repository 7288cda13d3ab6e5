extension Fields {
    /// An array of whole payloads, as files keep them; absent, it is empty. Longer than `limit`, it is out of range.
    public mutating func entries<Entry: Payload>(_ key: String, limit: Int) throws(PayloadRefusal) -> [Entry] {
        try array(key, limit: limit) { (value) throws(PayloadRefusal) in
            guard let object = value.object else { throw .wrongType(key) }
            var fields = Fields(object)
            return try Entry(reading: &fields)
        }
    }
}
