extension Array {
    /// In the order of a key; what has the same key keeps its order, which `sort`
    /// does not promise.
    func stablySorted(by key: (Element) -> Int64) -> [Element] {
        let order = indices.map { (key: key(self[$0]), index: $0) }
            .sorted { ($0.key, $0.index) < ($1.key, $1.index) }
        return order.map { self[$0.index] }
    }
}

extension [Sample] {
    /// The first that is not before a time; the number of all where none is. They are in the order of time.
    func firstIndex(atOrAfter time: Int64) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].time < time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
