import Telemetry
import Testing

@testable import MQTT

/// Which characters a topic may have is said by two libraries that do not know each other: the one refuses to publish
/// what the other would have parsed as a topic, or the other way round, as soon as one of them changes alone.
@Suite("The characters of topics", .timeLimit(.minutes(60)))
struct TopicCharacterTests {
    @Test("are the same where topics are made and where messages are sent")
    func characters() {
        var (refused, different): (Int, [String]) = (0, [])
        for value in 0...0x10FFFF as ClosedRange<UInt32> {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let topic = "a\(scalar)"
            let message = Message(topic: topic, payload: [])
            let isPublished = (try? message.checkPublishable(.v5, maximumPacketSize: nil)) != nil
            if Topics.isPrefix(topic) != isPublished { different.append(String(value, radix: 16)) }
            if !isPublished { refused += 1 }
        }
        #expect(different == [])
        // Control characters (65), two wildcards, and what stands for no character (32, and two in each of 17 planes).
        #expect(refused == 65 + 2 + 32 + 34)
    }
}
