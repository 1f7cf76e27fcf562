import DBus

/// How clients reach the sensors: through the stand-in for BlueZ, or through a real adapter.
protocol Form: AnyObject {
    /// Makes the sensors reachable.
    func begin(completion: @escaping (Result<Void, DBusError>) -> Void)
    /// Ends links and advertising, so everybody is told.
    func end()
    /// A sensor's activity is over: it ends its link and no longer advertises.
    func retire(_ peripheral: Peripheral)
    /// Follows an instruction that is about the link rather than about what is measured.
    func follow(_ instruction: Instruction, for peripheral: Peripheral) throws(InstructionError)
    /// What a sensor's link does now, in a word or two.
    func state(of peripheral: Peripheral) -> String
}
