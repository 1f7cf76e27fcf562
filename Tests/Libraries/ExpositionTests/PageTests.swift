import Testing

@testable import Exposition

@Suite("A page of metrics")
struct PageTests {
    private let bytes = Metric("x_bytes", .gauge, "Bytes\\of\nsomething.")

    @Test("says what each metric is, and then its samples, escaped")
    func text() {
        var page = Page()
        page.add(bytes, 1_000_000)
        page.add(Metric("x_total", .counter, "Tries."), by: "why", [("a\"b\\c\nd", 2)])
        #expect(
            page.text == """
                # HELP x_bytes Bytes\\\\of\\nsomething.
                # TYPE x_bytes gauge
                x_bytes 1000000
                # HELP x_total Tries.
                # TYPE x_total counter
                x_total{why="a\\"b\\\\c\\nd"} 2

                """)
    }

    @Test(
        "spells numbers as Prometheus reads them",
        arguments: [
            (0.25, "0.25"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"), (-3, "-3"), (1e300, "1e+300"),
        ])
    func numbers(value: Double, spelt: String) {
        var page = Page()
        page.add(bytes, value)
        #expect(page.text.hasSuffix("x_bytes \(spelt)\n"))
    }

    @Test("adds up the ranges of a histogram")
    func histogram() {
        var times = Histogram([0.1, 1])
        for time in [Duration.milliseconds(100), .milliseconds(50), .milliseconds(500), .seconds(10)] {
            times.observe(time)
        }
        var page = Page()
        page.add(Metric("x_seconds", .histogram, "Times."), times)
        let samples = page.text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
        #expect(
            samples == [
                "x_seconds_bucket{le=\"0.1\"} 2", "x_seconds_bucket{le=\"1\"} 3", "x_seconds_bucket{le=\"+Inf\"} 4",
                "x_seconds_sum 10.65", "x_seconds_count 4",
            ])
    }
}
