public import Fitness

// Visvalingam and Whyatt (1993): the place that makes the smallest triangle with its neighbours goes first, until as
// few are left as wanted. A heap finds it, so a path of n places takes n log n steps and no recursion.

/// A path with fewer places, which looks alike.
///
/// Ends of pieces stay for longer than all other places; if there are more pieces than places are wanted, the smallest
/// go. A piece that has one place left is a point.
/// - Parameter count: how many places there are at most, in all pieces together.
public func simplified(_ path: [[Place]], to count: Int) -> [[Place]] {
    var shape = Shape(path)
    shape.reduce(to: max(0, count))
    return shape.path
}

private struct Shape {
    /// What goes first, from the first to the last.
    private enum Kind: Int {
        /// A place between two others.
        case middle
        /// The only place of a piece.
        case point
        /// The end of a piece.
        case end
    }

    private struct Entry {
        let kind: Kind
        /// The area in square metres that a place takes away, or of an end the length in metres.
        let size: Double
        let index: Int
        let version: Int
    }

    private let places: [Place]
    private var previous: [Int?]
    private var next: [Int?]
    private var isLeft: [Bool]
    private var versions: [Int]
    private var left: Int
    private var heap: [Entry] = []

    init(_ path: [[Place]]) {
        places = path.flatMap { $0 }
        let count = places.count
        previous = (0..<count).map { $0 > 0 ? $0 - 1 : nil }
        next = (0..<count).map { $0 + 1 < count ? $0 + 1 : nil }
        isLeft = [Bool](repeating: true, count: count)
        versions = [Int](repeating: 0, count: count)
        left = count
        var start = 0
        for piece in path where !piece.isEmpty {
            previous[start] = nil
            start += piece.count
            next[start - 1] = nil
        }
    }

    /// What is left, piece by piece.
    var path: [[Place]] {
        var path: [[Place]] = []
        for index in places.indices where isLeft[index] {
            if previous[index] == nil { path.append([]) }
            path[path.count - 1].append(places[index])
        }
        return path
    }

    mutating func reduce(to count: Int) {
        guard left > count else { return }
        for index in places.indices { push(index, atLeast: 0) }
        while left > count, let entry = pop() {
            guard isLeft[entry.index], versions[entry.index] == entry.version else { continue }
            remove(entry)
        }
    }

    private mutating func remove(_ entry: Entry) {
        let index = entry.index
        isLeft[index] = false
        left -= 1
        let (before, after) = (previous[index], next[index])
        if let before { next[before] = after }
        if let after { previous[after] = before }
        // A neighbour never goes for less than what went before it.
        let least = entry.kind == .middle ? entry.size : 0
        for neighbour in [before, after] {
            guard let neighbour else { continue }
            versions[neighbour] += 1
            push(neighbour, atLeast: least)
        }
    }

    private mutating func push(_ index: Int, atLeast least: Double) {
        let (kind, size): (Kind, Double)
        switch (previous[index], next[index]) {
        case (let before?, let after?):
            (kind, size) = (.middle, max(least, Self.area(places[before], places[index], places[after])))
        case (let other?, nil), (nil, let other?):
            (kind, size) = (.end, Self.length(places[index], places[other]))
        case (nil, nil): (kind, size) = (.point, 0)
        }
        heap.append(Entry(kind: kind, size: size, index: index, version: versions[index]))
        rise()
    }

    private static func isLess(_ one: Entry, _ other: Entry) -> Bool {
        (one.kind.rawValue, one.size, one.index) < (other.kind.rawValue, other.size, other.index)
    }

    private mutating func rise() {
        var child = heap.count - 1
        while child > 0, case let parent = (child - 1) / 2, Self.isLess(heap[child], heap[parent]) {
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func pop() -> Entry? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return first }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if Self.isLess(heap[child], heap[least]) { least = child }
            }
            guard least != parent else { return first }
            heap.swapAt(parent, least)
            parent = least
        }
    }

    private static func area(_ one: Place, _ two: Place, _ three: Place) -> Double {
        let plane = Plane(at: two)
        let (first, second) = (plane.way(to: one), plane.way(to: three))
        return min(1e18, abs(first.east * second.north - first.north * second.east) / 2)
    }

    private static func length(_ one: Place, _ other: Place) -> Double {
        let way = Plane(at: one).way(to: other)
        return min(1e18, (way.east * way.east + way.north * way.north).squareRoot())
    }
}
