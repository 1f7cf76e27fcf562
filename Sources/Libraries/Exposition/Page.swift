// Metrics as Prometheus reads them: the text format, version 0.0.4.
// https://prometheus.io/docs/instrumenting/exposition_formats/

/// What is measured: its name by the conventions of Prometheus, and what it means.
public struct Metric: Hashable, Sendable {
    public enum Kind: String, Sendable { case counter, gauge, histogram }

    /// Of letters, digits and `_`; a counter ends with `_total`; units are seconds, bytes and ratios.
    public let name: String
    public let kind: Kind
    /// A sentence for people who see the name in a query's editor.
    public let help: String

    public init(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        self.kind = kind
        self.help = help
    }
}

/// How often something took how long, in ranges that are the same for as long as a program runs. Its owner counts
/// without a lock.
public struct Histogram: Hashable, Sendable {
    /// The upper bound of each range but the last, which has none; ascending.
    public let bounds: [Double]
    /// How often, in each range.
    public private(set) var counts: [Int]
    public private(set) var sum = 0.0

    public init(_ bounds: [Double]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    public mutating func observe(_ value: Double) {
        var range = 0
        while range < bounds.count, value > bounds[range] { range += 1 }
        counts[range] += 1
        sum += value
    }
}

/// One state of all metrics of a program.
public struct Page: Sendable {
    public private(set) var text = ""

    public init() {}

    public mutating func add(_ metric: Metric, _ value: Double) { add(metric, [([], value)]) }

    public mutating func add(_ metric: Metric, _ value: Int) { add(metric, Double(value)) }

    public mutating func add(_ metric: Metric, _ value: Bool) { add(metric, value ? 1 : 0) }

    /// One sample for each value of a label.
    public mutating func add(_ metric: Metric, by label: String, _ values: [(String, Int)]) {
        add(metric, values.map { ([(label, $0.0)], Double($0.1)) })
    }

    /// Which of its states something is in: the sample of that one is 1.
    public mutating func add(_ metric: Metric, state: String, of states: [String]) {
        add(metric, by: "state", states.map { ($0, $0 == state ? 1 : 0) })
    }

    /// Samples with their labels.
    public mutating func add(_ metric: Metric, _ samples: [(labels: [(name: String, value: String)], value: Double)]) {
        begin(metric)
        for sample in samples { line(metric.name, sample.labels, sample.value) }
    }

    public mutating func add(_ metric: Metric, _ histogram: Histogram) {
        begin(metric)
        var total = 0
        for (bound, count) in zip(histogram.bounds.map(Self.spelt) + ["+Inf"], histogram.counts) {
            total += count
            line("\(metric.name)_bucket", [("le", bound)], Double(total))
        }
        line("\(metric.name)_sum", [], histogram.sum)
        line("\(metric.name)_count", [], Double(total))
    }

    private mutating func begin(_ metric: Metric) {
        text += "# HELP \(metric.name) \(Self.escaped(metric.help))\n# TYPE \(metric.name) \(metric.kind.rawValue)\n"
    }

    private mutating func line(_ name: String, _ labels: [(name: String, value: String)], _ value: Double) {
        text += name
        if !labels.isEmpty {
            let spelt = labels.map { "\($0.name)=\"\(Self.escaped($0.value, isQuoted: true))\"" }
            text += "{" + spelt.joined(separator: ",") + "}"
        }
        text += " \(Self.spelt(value))\n"
    }

    private static func spelt(_ value: Double) -> String {
        switch value {
        case .infinity: "+Inf"
        case -.infinity: "-Inf"
        case _ where value.isNaN: "NaN"
        case _ where value == value.rounded() && value.magnitude < 1e15: "\(Int64(value))"
        default: "\(value)"
        }
    }

    private static func escaped(_ text: String, isQuoted: Bool = false) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where isQuoted: escaped += "\\\""
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}

extension Histogram {
    /// Counts a time, in seconds.
    public mutating func observe(_ time: Duration) {
        let (seconds, attoseconds) = time.components
        observe(Double(seconds) + Double(attoseconds) / 1e18)
    }
}
