import Desk
import Files
import Telemetry
import TestSupport
import Testing

@Suite("A request", .timeLimit(.minutes(60)))
struct AnsweringTests {
    private func outcomes(_ body: (PeopleRequest) -> Void) throws -> (answers: [Reply.Outcome], reports: [String]) {
        let (answers, reports) = (Record<Reply.Outcome>(), Record<String>())
        body(
            PeopleRequest(
                asker: .person(try ID("ada")), name: "goals/get", fields: [:], identity: nil,
                report: { reports.append($0) }, answer: { answers.append($0) }))
        return (answers.all, reports.all)
    }

    @Test("is answered with what was found")
    func found() throws {
        let (answers, reports) = try outcomes { $0.finish(Result<JSON, ReplyError>.success(["steps": 1])) }
        #expect(answers == [.ok(["steps": 1])] && reports.isEmpty)
    }

    @Test("is refused with what a handler says, and otherwise with what tells a stranger nothing")
    func refused() throws {
        let error = ReplyError(.notFound, "there is none")
        let said = try outcomes { $0.finish(Result<JSON, ReplyError>.failure(error)) }
        #expect(said.answers == [.error(error)] && said.reports.isEmpty)
        let fault = VaultError("read a row", .inputOutput, said: "secret words")
        let ours = try outcomes { $0.finish(Result<JSON, VaultError>.failure(fault)) }
        guard case .error(let reply)? = ours.answers.first else { throw TestFailure("no refusal") }
        #expect(ours.answers.count == 1 && reply.code == .internal && !"\(reply)".contains("secret words"))
        #expect(ours.reports.count == 1 && ours.reports.first?.contains("secret words") == true)
    }
}
