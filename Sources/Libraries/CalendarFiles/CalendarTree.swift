import CICal

// What libical makes of a resource: a tree of components, which have properties. Its pointers stay in this target, and none of
// them outlives the tree. libical keeps its errors for each thread, so several may read at a time.

/// Calls `body` with the calendar that a resource is; libical frees it, with everything in it, when `body` returns.
func withCalendar<Result>(
    _ bytes: [UInt8], _ body: (OpaquePointer) throws(CalendarFileError) -> Result
) throws(CalendarFileError) -> Result {
    let clean = CalendarGuard.withoutControls(bytes)
    try CalendarGuard.check(clean)
    let parsed = (clean + [0]).withUnsafeBytes { bytes in
        icalparser_parse_string(bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
    }
    guard let parsed else { throw .damaged("it is no iCalendar") }
    defer { icalcomponent_free(parsed) }
    // Several calendars in one resource come in a component of libical's own.
    guard icalcomponent_isa(parsed) == ICAL_VCALENDAR_COMPONENT else {
        throw .damaged("it is not one calendar")
    }
    return try body(parsed)
}

/// A component as iCalendar.
func serialised(_ component: OpaquePointer) -> [UInt8] {
    guard let text = icalcomponent_as_ical_string_r(component) else { return [] }
    defer { free(text) }
    return Array(String(cString: text).utf8)
}

/// The components of a kind directly within another.
func components(_ kind: icalcomponent_kind, of parent: OpaquePointer) -> [OpaquePointer] {
    var found: [OpaquePointer] = []
    var next = icalcomponent_get_first_component(parent, kind)
    while let component = next {
        found.append(component)
        next = icalcomponent_get_next_component(parent, kind)
    }
    return found
}

/// The properties of a kind that a component has.
func properties(_ kind: icalproperty_kind, of component: OpaquePointer) -> [OpaquePointer] {
    var found: [OpaquePointer] = []
    var next = icalcomponent_get_first_property(component, kind)
    while let property = next {
        found.append(property)
        next = icalcomponent_get_next_property(component, kind)
    }
    return found
}
