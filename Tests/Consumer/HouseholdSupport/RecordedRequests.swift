package import Desk
import Telemetry

extension Desk {
    /// From now on, what people ask and how they are answered is written down, if `deploy/test` wants to compare it with
    /// the AsyncAPI document. To be called before the desk is asked anything.
    package func recordRequests() {
        guard let record = MessageRecord.shared else { return }
        register(verbs.map { $0.recorded(in: record) })
    }
}

extension Verb {
    fileprivate func recorded(in record: MessageRecord) -> Verb {
        var recorded = self
        recorded.handling = .later { [handling] request in
            var heard = request
            heard.answer = { outcome in
                record.add(request, Reply(outcome))
                request.answer(outcome)
            }
            switch handling {
            case .atOnce(let body): heard.finish(Result { try body(heard) })
            case .later(let body): body(heard)
            }
        }
        return recorded
    }
}
