extension House {
    /// Somebody who walks about and carries tags; a cat will do.
    public struct Person: Hashable, Sendable {
        /// Whether this one leaves the house at times.
        public var goesOut: Bool

        /// Somebody, who goes out or not.
        public init(goesOut: Bool) {
            self.goesOut = goesOut
        }
    }
}
