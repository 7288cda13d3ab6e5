extension Int64 {
    /// The sum, clamped to the range of `Int64`.
    @inlinable
    package func saturatingAdding(_ other: Int64) -> Int64 {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other > 0 ? .max : .min) : sum
    }

    /// The difference, clamped to the range of `Int64`.
    @inlinable
    package func saturatingSubtracting(_ other: Int64) -> Int64 {
        let (difference, overflows) = subtractingReportingOverflow(other)
        return overflows ? (other < 0 ? .max : .min) : difference
    }

    /// The product, clamped to the range of `Int64`.
    @inlinable
    package func saturatingMultiplied(by other: Int64) -> Int64 {
        let (product, overflows) = multipliedReportingOverflow(by: other)
        return overflows ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}
