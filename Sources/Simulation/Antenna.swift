/// Where a transmitter's antenna is at some moment, and on which side of a body.
struct Antenna: Sendable {
    var position: House.Position
    /// The unit vector in the plan away from the body that it hangs on; `nil`: on none.
    var free: (x: Double, y: Double)?
}
