extension Int64 {
    /// The sum, at most the range's end on its side.
    @inlinable
    package func saturatingAdding(_ other: Int64) -> Int64 {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other > 0 ? .max : .min) : sum
    }

    /// The difference, at most the range's end on its side.
    @inlinable
    package func saturatingSubtracting(_ other: Int64) -> Int64 {
        let (difference, overflows) = subtractingReportingOverflow(other)
        return overflows ? (other < 0 ? .max : .min) : difference
    }

    /// The product, at most the range's end on its side.
    @inlinable
    package func saturatingMultiplied(by other: Int64) -> Int64 {
        let (product, overflows) = multipliedReportingOverflow(by: other)
        return overflows ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}
