import Locating

/// What is to be learned from, put together: learning takes seconds, and is done beside everything else.
package struct Lesson: Sendable {
    /// Counts the lessons: one that was overtaken meanwhile teaches nothing.
    let number: Int
    let site: Site
    let past: [RSSIHistory]
    let surveys: [Survey]

    /// What there is to learn, judged on the past; `nil` where that is too little, or contradicts itself.
    package func learn() -> Learned? { Learned.learn(site: site, from: past, surveys: surveys) }
}
