import CSQLite
public import Files

// What SQL on a connection may ask of the program. A trigger can so depend on what only the program knows.

extension Database {
    /// Gives SQL on this connection a function of one text, which answers 1 or 0. NULL asks as an empty text. It lasts as
    /// long as the connection.
    public func answer(_ function: String, _ answer: @escaping (String) -> Bool) throws(VaultError) {
        let question = Unmanaged.passRetained(Question(answer)).toOpaque()
        let code = sqlite3_create_function_v2(
            handle, function, 1, SQLITE_UTF8, question,
            { call, _, values in
                let question = Unmanaged<Question>.fromOpaque(sqlite3_user_data(call)).takeUnretainedValue()
                let text = values?[0].flatMap { sqlite3_value_text($0) }.map { String(cString: $0) }
                sqlite3_result_int(call, question.answer(text ?? "") ? 1 : 0)
            }, nil, nil, { if let question = $0 { Unmanaged<Question>.fromOpaque(question).release() } })
        try check(code, "define a function", function)
    }
}

private final class Question {
    let answer: (String) -> Bool

    init(_ answer: @escaping (String) -> Bool) { self.answer = answer }
}
