internal import Glibc

/// The radios that the kernel keeps off. BlueZ shows such an adapter as off, and cannot switch it on; some machines
/// take a blocked adapter away altogether.
///
/// Source: Linux's Documentation/ABI/stable/sysfs-class-rfkill: a folder for each switch, with the files `name`,
/// `type`, `soft` and `hard`. An adapter's own switch has the adapter's name; others are the machine's, such as
/// `tpacpi_bluetooth_sw`.
struct RFKill {
    struct Block: Equatable {
        /// The adapter's name, or the machine's switch.
        let name: String
        /// By a switch or key: software cannot remove the block.
        let isHard: Bool
    }

    let folder: String

    /// What keeps an adapter off.
    /// - Parameter adapter: such as `hci0`; nil for any.
    func block(of adapter: String?) -> Block? {
        blocks.first { block in
            guard let adapter else { return true }
            return block.name == adapter || !block.name.hasPrefix("hci")
        }
    }

    /// All that is blocked; hard ones first, since removing the others would not help.
    private var blocks: [Block] {
        switches.compactMap { folder in
            guard text(of: "\(folder)/type") == "bluetooth" else { return nil }
            let isHard = text(of: "\(folder)/hard") == "1"
            guard isHard || text(of: "\(folder)/soft") == "1" else { return nil }
            return Block(name: text(of: "\(folder)/name"), isHard: isHard)
        }.sorted { ($0.isHard ? 0 : 1, $0.name) < ($1.isHard ? 0 : 1, $1.name) }
    }

    /// A container, or a kernel without rfkill, has none.
    private var switches: [String] {
        guard let entries = opendir(folder) else { return [] }
        defer { closedir(entries) }
        var names: [String] = []
        while let entry = readdir(entries) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix("rfkill") { names.append("\(folder)/\(name)") }
        }
        return names
    }

    /// A small file's text without the line's end; empty if it cannot be read.
    private func text(of file: String) -> String {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 128)
        let count = read(descriptor, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(count, 0)).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
