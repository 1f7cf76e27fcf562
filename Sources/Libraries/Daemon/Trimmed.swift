extension String {
    /// Without the spaces, tabs and line ends at both ends that come along when people type and paste.
    public var trimmed: String {
        func isBlank(_ character: Character) -> Bool { character.isWhitespace }
        guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
            return ""
        }
        return String(self[first...last])
    }
}
