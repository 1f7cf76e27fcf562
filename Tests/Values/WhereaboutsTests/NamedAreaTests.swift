import Fitness
import Testing
import Whereabouts

@Suite("The name of a place")
struct NamedAreaTests {
    private let home = Place(latitude: 52.5, longitude: 13.4)

    private func fix(_ metresNorth: Double, accuracy: Double? = 8) -> Fix {
        let place = Place(latitude: home.latitude + metresNorth / 111_195, longitude: home.longitude)
        return Fix(time: 1_795_261_361_000, place: place, accuracyMetres: accuracy)
    }

    @Test("is that of the smallest area around it, if the fix is precise enough to say so")
    func smallest() throws {
        let areas = [
            NamedArea("Town", try AreaShape(middle: home, radiusMetres: 5000)),
            NamedArea("Garden", try AreaShape(middle: home, radiusMetres: 60)),
            NamedArea("Village", try AreaShape(middle: home, radiusMetres: 800)),
        ]
        #expect(NamedArea.name(at: fix(10), among: areas) == "Garden")
        #expect(NamedArea.name(at: fix(100), among: areas) == "Village")
        #expect(NamedArea.name(at: fix(2000), among: areas) == "Town")
        #expect(NamedArea.name(at: fix(6000), among: areas) == nil)
        // A rough one may be anywhere in the garden's street, and is surely in the town.
        #expect(NamedArea.name(at: fix(10, accuracy: 300), among: areas) == "Village")
        #expect(NamedArea.name(at: fix(10, accuracy: 3000), among: areas) == "Town")
        #expect(NamedArea.name(at: fix(10), among: []) == nil)
    }
}
