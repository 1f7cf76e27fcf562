/// How light a picture is. The colours are those of the page's design.
public enum Theme: String, Hashable, Sendable, CaseIterable {
    case light, dark

    /// The colours of a theme.
    struct Colours {
        let ground, surface, line, well, ink, ink2, ink3: Colour
        /// What one has done.
        let accent, accentSoft, onAccent: Colour
        /// The heart.
        let heart: Colour
        /// The way, and what it is drawn on.
        let way, map, mapLine, mapInk: Colour
    }

    var colours: Colours {
        func pick(_ light: UInt32, _ dark: UInt32) -> Colour { Colour(self == .light ? light : dark) }
        return Colours(
            ground: pick(0xF2F5F4, 0x0D1413), surface: pick(0xFFFFFF, 0x151D1C), line: pick(0xDDE4E1, 0x26312F),
            well: pick(0xE9EEEC, 0x222D2B), ink: pick(0x13201E, 0xEDF3F1), ink2: pick(0x44534F, 0xB7C4C0),
            ink3: pick(0x5A6965, 0x94A5A0), accent: pick(0x0A6A6F, 0x5CC9C4), accentSoft: pick(0xDCEFED, 0x14322F),
            onAccent: pick(0xFFFFFF, 0x06201F), heart: pick(0xB9244E, 0xFF7D95), way: pick(0xD3202C, 0xFF5A52),
            map: pick(0xEAF0E9, 0x131C19), mapLine: pick(0xD9E2D8, 0x1F2B27), mapInk: pick(0x4F5F59, 0x9DAFA9))
    }
}
