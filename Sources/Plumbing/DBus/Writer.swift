import CDBus

/// A message that is being written.
struct Writer: ~Copyable {
    let handle: OpaquePointer

    /// Takes over a new message; nil means that libdbus refused a name or path, or ran out of memory.
    init(_ handle: OpaquePointer?, what: @autoclosure () -> String) throws(DBusError) {
        guard let handle else {
            throw DBusError(name: DBusError.Name.invalidArguments, message: "not a valid message: \(what())")
        }
        self.handle = handle
    }

    deinit { dbus_message_unref(handle) }

    borrowing func append(_ values: [Value]) throws(DBusError) {
        var iterator = DBusMessageIter()
        dbus_message_iter_init_append(handle, &iterator)
        for value in values { try append(value, to: &iterator) }
    }

    private borrowing func append(_ value: Value, to iterator: inout DBusMessageIter) throws(DBusError) {
        switch value {
        case .byte(let number): try basic(VITALS_DBUS_BYTE, number, &iterator)
        case .bool(let flag): try basic(VITALS_DBUS_BOOLEAN, dbus_bool_t(flag ? 1 : 0), &iterator)
        case .int16(let number): try basic(VITALS_DBUS_INT16, number, &iterator)
        case .uint16(let number): try basic(VITALS_DBUS_UINT16, number, &iterator)
        case .int32(let number): try basic(VITALS_DBUS_INT32, number, &iterator)
        case .uint32(let number): try basic(VITALS_DBUS_UINT32, number, &iterator)
        case .int64(let number): try basic(VITALS_DBUS_INT64, number, &iterator)
        case .uint64(let number): try basic(VITALS_DBUS_UINT64, number, &iterator)
        case .double(let number): try basic(VITALS_DBUS_DOUBLE, number, &iterator)
        case .descriptor(let number): try basic(VITALS_DBUS_UNIX_FD, number, &iterator)
        case .string(let text): try string(VITALS_DBUS_STRING, text, &iterator)
        case .path(let text): try string(VITALS_DBUS_OBJECT_PATH, text, &iterator)
        case .signature(let text): try string(VITALS_DBUS_SIGNATURE, text, &iterator)
        case .variant(let inner): try container(VITALS_DBUS_VARIANT, inner.typeSignature, [inner], &iterator)
        case .bytes(let bytes): try append(bytes, to: &iterator)
        case .array(let element, let values): try container(VITALS_DBUS_ARRAY, element, values, &iterator)
        case .structure(let members): try container(VITALS_DBUS_STRUCT, nil, members, &iterator)
        case .dictionary(let key, let value, let entries):
            var inner = DBusMessageIter()
            try check(dbus_message_iter_open_container(&iterator, VITALS_DBUS_ARRAY, "{\(key)\(value)}", &inner))
            for entry in entries { try container(VITALS_DBUS_DICT_ENTRY, nil, [entry.key, entry.value], &inner) }
            try check(dbus_message_iter_close_container(&iterator, &inner))
        }
    }

    private borrowing func container(
        _ type: Int32, _ signature: String?, _ values: [Value], _ iterator: inout DBusMessageIter
    ) throws(DBusError) {
        var inner = DBusMessageIter()
        try check(dbus_message_iter_open_container(&iterator, type, signature, &inner))
        for value in values { try append(value, to: &inner) }
        try check(dbus_message_iter_close_container(&iterator, &inner))
    }

    private borrowing func append(_ bytes: [UInt8], to iterator: inout DBusMessageIter) throws(DBusError) {
        var inner = DBusMessageIter()
        try check(dbus_message_iter_open_container(&iterator, VITALS_DBUS_ARRAY, "y", &inner))
        let isAppended = bytes.withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            return dbus_message_iter_append_fixed_array(&inner, VITALS_DBUS_BYTE, &start, Int32(buffer.count))
        }
        try check(isAppended)
        try check(dbus_message_iter_close_container(&iterator, &inner))
    }

    private borrowing func basic<Number: BitwiseCopyable>(
        _ type: Int32, _ number: Number, _ iterator: inout DBusMessageIter
    ) throws(DBusError) {
        var number = number
        try check(dbus_message_iter_append_basic(&iterator, type, &number))
    }

    private borrowing func string(
        _ type: Int32, _ text: String, _ iterator: inout DBusMessageIter
    ) throws(DBusError) {
        // libdbus takes a bad string for a bug in the program: it warns, and aborts with DBUS_FATAL_WARNINGS.
        let isValid =
            switch type {
            case VITALS_DBUS_OBJECT_PATH: dbus_validate_path(text, nil) != 0
            case VITALS_DBUS_SIGNATURE: dbus_signature_validate(text, nil) != 0
            default: !text.utf8.contains(0)
            }
        guard isValid else {
            throw DBusError(name: DBusError.Name.invalidArguments, message: "not valid in a message: \(text)")
        }
        let isAppended = text.withCString { start in
            var start: UnsafePointer<CChar>? = start
            return dbus_message_iter_append_basic(&iterator, type, &start)
        }
        try check(isAppended)
    }

    private borrowing func check(_ isDone: dbus_bool_t) throws(DBusError) {
        guard isDone != 0 else {
            throw DBusError(name: DBusError.Name.invalidArguments, message: "no memory for a message")
        }
    }
}
