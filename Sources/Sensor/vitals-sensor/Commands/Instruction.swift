import Telemetry

/// The instructions that a running sensor understands, one a line.
enum Instruction: Equatable {
    case drop(seconds: Double)
    case silent(Bool)
    case malformed([UInt8])
    case refuse(Bool)
    case hang(Bool)
    case forgetBond
    case power(Bool)
    /// Nil waits for `plug`.
    case unplug(seconds: Double?)
    case plug
    case restart(seconds: Double)
    case crash(seconds: Double)
    case vanish
    case appear
    case steps(UInt32)
    /// Nil returns to the activity's own.
    case temperature(MedicalFloat?)
    case heartRate(UInt16)
    case battery(UInt8)
    case fail(method: String, error: String)
    case status
    case quit
    case help

    static let words = """
        drop [SECONDS]           the link is lost, and the sensor is out of reach for this long
        silent on|off            it keeps its link and sends nothing
        malformed [HEX]          its next heart rate is these bytes (default: 11, a truncated value)
        refuse on|off            it ends every new link at once
        hang on|off              no call of a characteristic is answered
        forget-bond              it loses the keys of its bond; BlueZ still has them
        power on|off             the adapter
        unplug [SECONDS]         the adapter is pulled out, for this long or until plug
        plug                     the adapter is plugged in again
        restart [SECONDS]        BlueZ is told to end, and is back after this time (default: 1)
        crash [SECONDS]          BlueZ is killed, and is back after this time (default: 1)
        vanish                   it is gone, and BlueZ forgets it
        appear                   it is back
        steps N                  sets its step counter
        temperature X|nan|recorded
                                 sets its temperature, or returns to the activity's
        heart-rate BPM           it measures this now
        battery PERCENT          sets its battery
        fail METHOD ERROR        the next call of METHOD is answered with ERROR, such as: fail ReadValue InProgress
        status                   what it does now
        quit                     ends the program
        #N COMMAND               the same for sensor N only; otherwise, a command applies to all
        """

    /// Reads a line. Throws what is wrong with it, in words.
    init(_ line: String) throws(InstructionError) {
        let words = line.split(separator: " ").map(String.init)
        guard let name = words.first else { throw InstructionError("an empty line") }
        let rest = Array(words.dropFirst())
        switch name {
        case "drop": self = .drop(seconds: try Self.seconds(rest) ?? 0)
        case "unplug": self = .unplug(seconds: try Self.seconds(rest))
        case "restart": self = .restart(seconds: try Self.seconds(rest) ?? 1)
        case "crash": self = .crash(seconds: try Self.seconds(rest) ?? 1)
        case "silent": self = .silent(try Self.isOn(rest))
        case "malformed": self = .malformed(try Self.bytes(rest))
        case "refuse": self = .refuse(try Self.isOn(rest))
        case "hang": self = .hang(try Self.isOn(rest))
        case "power": self = .power(try Self.isOn(rest))
        case "steps": self = .steps(try Self.number(rest, UInt32.self))
        case "temperature": self = .temperature(try Self.temperature(rest))
        case "heart-rate": self = .heartRate(try Self.number(rest, UInt16.self))
        case "battery":
            let level = try Self.number(rest, UInt8.self)
            guard level <= 100 else { throw InstructionError("expected: a percentage, 0 to 100") }
            self = .battery(level)
        case "fail":
            guard rest.count == 2 else { throw InstructionError("expected: fail METHOD ERROR") }
            self = .fail(method: rest[0], error: rest[1])
        case "forget-bond", "plug", "vanish", "appear", "status", "quit", "help":
            guard rest.isEmpty else { throw InstructionError("\(name) takes nothing") }
            self =
                switch name {
                case "forget-bond": .forgetBond
                case "plug": .plug
                case "vanish": .vanish
                case "appear": .appear
                case "status": .status
                case "quit": .quit
                default: .help
                }
        default: throw InstructionError("unknown command \"\(name)\"; see: help")
        }
    }

    /// Whether it is about the adapter or BlueZ, rather than about one sensor.
    var isAboutAll: Bool {
        switch self {
        case .power, .unplug, .plug, .restart, .crash, .hang, .fail: true
        default: false
        }
    }

    private static func isOn(_ words: [String]) throws(InstructionError) -> Bool {
        switch words {
        case ["on"]: return true
        case ["off"]: return false
        default: throw InstructionError("expected: on or off")
        }
    }

    private static func seconds(_ words: [String]) throws(InstructionError) -> Double? {
        if words.isEmpty { return nil }
        guard words.count == 1, let seconds = Double(words[0]), (0...86_400).contains(seconds) else {
            throw InstructionError("expected: seconds, 0 to 86400")
        }
        return seconds
    }

    private static func number<Number: FixedWidthInteger>(
        _ words: [String], _ type: Number.Type
    ) throws(InstructionError) -> Number {
        guard words.count == 1, let number = Number(words[0]) else {
            throw InstructionError("expected: a whole number, 0 to \(Number.max)")
        }
        return number
    }

    private static func bytes(_ words: [String]) throws(InstructionError) -> [UInt8] {
        // Flags that promise two bytes of heart rate, and nothing after them.
        if words.isEmpty { return [0x11] }
        let digits = Array(words.joined())
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard index + 1 < digits.count, let high = digits[index].hexDigitValue,
                let low = digits[index + 1].hexDigitValue
            else { throw InstructionError("expected: pairs of hexadecimal digits") }
            bytes.append(UInt8(high << 4 | low))
        }
        guard bytes.count <= 512 else { throw InstructionError("expected: at most 512 bytes") }
        return bytes
    }

    private static func temperature(_ words: [String]) throws(InstructionError) -> MedicalFloat? {
        guard words.count == 1 else { throw InstructionError("expected: degrees Celsius, nan or recorded") }
        if words[0] == "recorded" { return nil }
        guard let value = MedicalFloat(decimal: words[0]) else {
            throw InstructionError("expected: degrees Celsius, nan or recorded")
        }
        return value
    }
}

/// A line that is not an instruction, or an instruction that cannot be followed here.
struct InstructionError: Error, Equatable, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
