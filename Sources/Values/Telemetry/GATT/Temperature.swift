/// A body temperature.
public struct Temperature: Hashable, Sendable {
    /// Thousandths of a degree Celsius.
    public var thousandths: Int32
    /// Where it was taken, if the sensor says.
    public var site: TemperatureSite?
    /// Whether the thermometer was still on its way to a measurement (2A1E). Such a temperature can be reported, but is
    /// never stored.
    public var isIntermediate = false

    /// A temperature in thousandths of a degree Celsius; refuses what no instrument measures (beyond about two million
    /// degrees).
    public init(thousandths: Int64, site: TemperatureSite? = nil) throws(MalformedValue) {
        guard let exact = Int32(exactly: thousandths) else {
            throw MalformedValue("temperature", .outOfRange("thousandths of a degree, 32 bits"))
        }
        self.thousandths = exact
        self.site = site
    }

    init(exactly thousandths: Int32, site: TemperatureSite?) { (self.thousandths, self.site) = (thousandths, site) }

    /// Degrees Celsius.
    public var celsius: Double { Double(thousandths) / 1000 }
}
