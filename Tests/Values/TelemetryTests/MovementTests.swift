import Testing

@testable import Telemetry

@Suite("Positions, motions and pedometers") struct MovementTests {
    @Test("a position is on the Earth")
    func places() throws {
        let position = try #require(
            Position(
                latitude: 48.1371542, longitude: -11.5761236, altitudeMetres: 519.24, accuracyMetres: 4.46,
                source: .phone))
        #expect(position.latitude == 48_137_154 && position.longitude == -11_576_124)
        #expect(position.altitudeMetres == 519.2 && position.accuracyMetres == 4.5)
        for (latitude, longitude) in [(90.1, 0.0), (0, -180.1), (.nan, 0), (0, .infinity), (-.infinity, 0)] {
            #expect(Position(latitude: latitude, longitude: longitude, source: .phone) == nil)
        }
        #expect(Position(latitude: -90, longitude: 180, source: .file)?.longitude == 180_000_000)
    }

    @Test("what cannot be is unknown, and the rest stays")
    func unknown() throws {
        let odd = try #require(
            Position(latitude: 0, longitude: 0, altitudeMetres: .nan, accuracyMetres: -1, source: .sensor))
        #expect(odd.altitude == nil && odd.accuracy == nil)
        #expect(Position(latitude: 0, longitude: 0, altitudeMetres: -501, source: .phone)?.altitude == nil)
        #expect(Position(latitude: 0, longitude: 0, accuracyMetres: 1e300, source: .phone)?.accuracy == 65_535)
        let motion = Motion(
            metresPerSecond: 65.6, totalMetres: -1, cadence: .infinity, watts: 300.4, source: .bicycle)
        #expect(motion.speed == nil && motion.distance == nil && motion.cadence == nil && motion.watts == 300)
        #expect(!motion.isEmpty && Motion(source: .foot).isEmpty)
    }

    @Test("are published with their units")
    func published() throws {
        let position = try #require(
            Position(latitude: 48.5, longitude: 11.25, altitudeMetres: 519.2, source: .receiver))
        #expect(
            String(decoding: position.json(at: 7).bytes, as: UTF8.self)
                == #"{"time":7,"latitude":48.5,"longitude":11.25,"altitude_m":519.2,"source":"receiver"}"#)
        let motion = Motion(metresPerSecond: 2.5, cadence: 83.5, source: .foot)
        #expect(
            String(decoding: motion.json(at: 7).bytes, as: UTF8.self)
                == #"{"time":7,"speed_mps":2.5,"cadence":83.5,"source":"foot"}"#)
        let span = PedometerSpan(milliseconds: 5, steps: 42)
        #expect(String(decoding: span.json(at: 7).bytes, as: UTF8.self) == #"{"time":7,"from":2,"steps":42}"#)
    }

    @Test("a column out of range is refused, whole and bare")
    func range() throws {
        let wall: Int64 = 1_767_225_600_000
        func bytes(_ kind: UInt8, _ columns: [UInt8]) -> [UInt8] {
            var bytes: [UInt8] = [kind, 1, 0]
            bytes.appendZigzag(wall)
            bytes.appendVarint(1000)
            return bytes + columns
        }
        func zigzag(_ number: Int64) -> [UInt8] {
            var bytes: [UInt8] = []
            bytes.appendZigzag(number)
            return bytes
        }
        let fine = bytes(4, zigzag(90_000_000) + zigzag(-180_000_000) + [0, 1, 0, 1])
        #expect(try ReadingColumns.decode(fine).count == 1 && ReadingColumns.bare(fine)?.count == 1)
        let refused = [
            bytes(4, zigzag(90_000_001) + zigzag(0) + [0, 1, 0, 1]),
            bytes(4, zigzag(0) + zigzag(180_000_001) + [0, 1, 0, 1]),
            bytes(4, zigzag(0) + zigzag(0) + [0, 1, 1] + zigzag(-1)),
            bytes(5, [1] + zigzag(65_536) + [0, 1, 0, 1, 0, 1]),
            bytes(6, zigzag(4_294_967_296) + zigzag(0)), bytes(4, zigzag(0) + zigzag(0) + [0, 0, 1, 0, 1]),
        ]
        for bytes in refused {
            #expect(fault { try ReadingColumns.decode(bytes) } != nil)
            #expect(ReadingColumns.bare(bytes) == nil)
        }
    }
}
