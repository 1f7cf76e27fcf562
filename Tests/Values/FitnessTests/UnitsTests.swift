import Testing

@testable import Fitness

@Suite("Units") struct UnitsTests {
    private func text(_ quantity: Quantity) -> String {
        let scale = quantity.decimals == 2 ? 100.0 : quantity.decimals == 1 ? 10 : 1
        return "\((quantity.value * scale).rounded() / scale) \(quantity.unit.rawValue)"
    }

    @Test("a marathon, a mountain, a fever and a person, as published in both units")
    func conversions() {
        let (metric, imperial) = (Units.metric, Units.imperial)
        #expect(text(metric.distance(42_195)) == "42.2 km" && text(imperial.distance(42_195)) == "26.22 mi")
        #expect(text(metric.height(8848.86)) == "8849.0 m" && text(imperial.height(8848.86)) == "29032.0 ft")
        #expect(text(metric.temperature(37)) == "37.0 °C" && text(imperial.temperature(37)) == "98.6 °F")
        #expect(text(imperial.temperature(-40)) == "-40.0 °F")
        #expect(text(metric.weight(70)) == "70.0 kg" && text(imperial.weight(70)) == "154.3 lb")
        #expect(text(metric.speed(10)) == "36.0 km/h" && text(imperial.speed(10)) == "22.4 mph")
    }

    @Test("short distances are in metres or feet, and those that are counted in ways never are")
    func short() {
        #expect(text(Units.metric.distance(999)) == "999.0 m" && text(Units.metric.distance(1000)) == "1.0 km")
        #expect(text(Units.imperial.distance(304)) == "997.0 ft" && text(Units.imperial.distance(304.8)) == "0.19 mi")
        #expect(text(Units.imperial.ways(1609.344, decimals: 1)) == "1.0 mi")
        #expect(text(Units.metric.ways(100, decimals: 1)) == "0.1 km")
    }

    @Test("feet and inches are to the nearest inch", arguments: [(168.0, 5, 6), (182.8, 6, 0), (40, 1, 4), (-1, 0, 0)])
    func heights(centimetres: Double, feet: Int, inches: Int) {
        #expect(Units.feetAndInches(centimetres: centimetres) == (feet, inches))
    }

    @Test("a pace is for a kilometre or for a mile, to the nearest second")
    func pace() throws {
        let pace = try #require(Pace(metres: 10_000, seconds: 3000))
        #expect(pace.text(in: .metric) == "5:00" && pace.text(in: .imperial) == "8:03")
        #expect(abs(pace.seconds(in: .imperial) - 482.8032) < 1e-9)
    }
}
