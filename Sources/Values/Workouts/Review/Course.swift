public import Fitness

/// The way that a person took in a workout: every position that counts, with how far and for how long they had been
/// under way.
public struct Course: Hashable, Sendable {
    /// A place on the way.
    public struct Station: Hashable, Sendable {
        /// Where and when.
        public let point: TrackPoint
        /// How far it is from the beginning, in metres.
        public let metres: Double
        /// For how long the workout had been active, in seconds.
        public let seconds: Double
        /// Which piece of the path it is on, from 0: between two pieces there was a pause, or the way is not known.
        public let piece: Int
        /// Whether it is where the station before is, as far as can be known.
        public let isStanding: Bool
    }

    /// What was done.
    public let activity: Activity
    /// The stations, in the order of their times.
    public let stations: [Station]
    /// Metres climbed; nil if no altitude is known.
    public let ascentMetres: Double?

    /// The way by positions.
    /// - Parameters:
    ///   - points: in any order, some of them more than once.
    ///   - timer: when the workout was active; what was measured at other times does not count.
    public init(
        _ points: some Sequence<TrackPoint>, _ activity: Activity, _ timer: WorkoutTimer,
        worstAccuracy: Double = PositionFilter.worstAccuracy
    ) {
        var filter = PositionFilter(activity, worstAccuracy: worstAccuracy)
        self.activity = activity
        var stations: [Station] = []
        var piece = -1
        let points = points.inOrder
        stations.reserveCapacity(points.count)
        for point in points {
            guard let interval = timer.interval(at: point.time), let started = timer.started,
                point.time - started <= WorkoutFold.longest
            else { continue }
            let verdict = filter.add(point, piece: interval)
            guard verdict.isCredible else { continue }
            if verdict == .begins { piece += 1 }
            var isStanding = true
            switch verdict {
            case .counts(_, let since):
                isStanding = false
                Self.spread(
                    &stations, since: since, to: filter.metres, at: point.time,
                    standing: activity.standingMetresPerSecond)
            case .begins: isStanding = false
            case .stands, .waits, .imprecise, .old, .tooFast: break
            }
            let seconds = Double(timer.activeMilliseconds(at: point.time)) / 1000
            stations.append(
                Station(
                    point: point, metres: filter.metres, seconds: seconds, piece: piece, isStanding: isStanding))
        }
        self.stations = stations
        var climb = Climb(activity)
        for index in stations.indices { Self.step(&climb, stations, index) }
        ascentMetres = stations.contains { $0.point.altitude != nil } ? climb.metres : nil
    }

    /// Spreads a way over the stations where it was not known yet, unless that was half a minute and more: the person may have
    /// stood.
    private static func spread(
        _ stations: inout [Station], since: Int64, to metres: Double, at time: Int64, standing: Double
    ) {
        guard let before = stations.last?.metres else { return }
        let seconds = Double(time - since) / 1000
        guard time - since <= SpeedWindow.longestGap || metres - before >= standing * seconds else { return }
        for index in stations.indices.reversed() {
            let station = stations[index]
            guard station.point.time > since else { return }
            let share = Double(station.point.time - since) / Double(time - since)
            stations[index] = Station(
                point: station.point, metres: before + (metres - before) * share, seconds: station.seconds,
                piece: station.piece, isStanding: station.isStanding)
        }
    }

    private init(_ activity: Activity, _ stations: [Station], ascentMetres: Double?) {
        (self.activity, self.stations, self.ascentMetres) = (activity, stations, ascentMetres)
    }

    /// What others may see of the route: `hidingEnds` of its path, stretch by stretch. Each stretch is a course of its own,
    /// which begins at 0 metres and after 0 seconds, so that nothing in it says how far it was to there. How much was
    /// climbed on it is not counted.
    /// - Parameter metres: how far from start and end the route is hidden; 0 hides nothing.
    public func shown(hiding metres: Double = hiddenMetres, _ displacement: Displacement = .none) -> [Course] {
        guard metres != 0 else { return stations.isEmpty ? [] : [self] }
        let ends = HiddenEnds(of: path, within: metres, displacement)
        var stretches: [[Station]] = []
        // The station to which a line would be drawn; nil where a stretch begins.
        var last: Station?
        for station in stations {
            guard !ends.hide(station.point.place) else {
                last = nil
                continue
            }
            // The path has no place at which the person only stood, so no line leads there.
            if station.isStanding, last?.piece == station.piece {
                stretches[stretches.count - 1].append(station)
                continue
            }
            let goesOn = last.map { last in
                last.piece != station.piece || !ends.hide(lineFrom: last.point.place, to: station.point.place)
            }
            if goesOn != true { stretches.append([]) }
            last = station
            stretches[stretches.count - 1].append(station)
        }
        return stretches.compactMap { stretch in
            guard let first = stretch.first else { return nil }
            let stations = stretch.map { station in
                Station(
                    point: station.point, metres: station.metres - first.metres,
                    seconds: station.seconds - first.seconds, piece: station.piece, isStanding: station.isStanding)
            }
            return Course(activity, stations, ascentMetres: nil)
        }
    }

    /// What was climbed at each station, in metres; nil if no altitude is known.
    public var climbs: [(seconds: Double, metres: Double)]? {
        guard ascentMetres != nil else { return nil }
        var climb = Climb(activity)
        return stations.indices.map { (stations[$0].seconds, Self.step(&climb, stations, $0)) }
    }

    /// How long the way is, in metres.
    public var metres: Double { stations.last?.metres ?? 0 }

    /// The places to draw, piece by piece, without those at which the person only stood.
    public var path: [[Place]] {
        var path: [[Place]] = []
        var piece: Int?
        for station in stations where !station.isStanding {
            if station.piece != piece { path.append([]) }
            piece = station.piece
            path[path.count - 1].append(station.point.place)
        }
        return path
    }

    /// Takes the altitude of a station, and returns how many metres it adds.
    @discardableResult
    static func step(_ climb: inout Climb, _ stations: [Station], _ index: Int) -> Double {
        if index > 0, stations[index].piece != stations[index - 1].piece { climb.cut() }
        let point = stations[index].point
        return point.altitude.map { climb.add($0, at: point.time, noise: point.altitudeNoise) } ?? 0
    }
}
