// Numbers of FIT's profile (Profile.xlsx of the SDK, version 21.200), as far as this library uses them.

enum FITMessageNumber {
    static let fileID: UInt16 = 0
    static let sport: UInt16 = 12
    static let session: UInt16 = 18
    static let lap: UInt16 = 19
    static let record: UInt16 = 20
    static let event: UInt16 = 21
    static let deviceInfo: UInt16 = 23
    static let workout: UInt16 = 26
    static let activity: UInt16 = 34
    static let fileCreator: UInt16 = 49
    static let monitoring: UInt16 = 55
    static let length: UInt16 = 101
    static let monitoringInfo: UInt16 = 103
    static let heartRate: UInt16 = 132
    static let fieldDescription: UInt16 = 206
    static let developerDataID: UInt16 = 207
}

/// Types of files, field 0 of `file_id`.
enum FITFileType {
    static let activity: Int64 = 4
    static let course: Int64 = 6
    static let monitoring: Set<Int64> = [15, 28, 32]

    /// What a type that holds no recordings is called.
    static func name(_ type: Int64) -> String {
        let names: [Int64: String] = [
            1: "a device's description", 2: "settings", 3: "sport settings", 5: "a workout's plan", 6: "a course",
            7: "a schedule", 9: "weights", 10: "totals", 11: "goals", 14: "blood pressures", 20: "a summary",
            34: "a segment", 35: "a list of segments",
        ]
        return names[type] ?? "a file of type \(type)"
    }
}

extension Sport {
    private static let fitNames: [UInt8: String] = [
        4: "fitness equipment", 5: "swimming", 6: "basketball", 7: "soccer", 8: "tennis", 9: "american football",
        10: "training", 12: "cross country skiing", 13: "alpine skiing", 14: "snowboarding", 15: "rowing",
        16: "mountaineering", 17: "hiking", 18: "multisport", 19: "paddling", 20: "flying", 21: "e biking",
        22: "motorcycling", 23: "boating", 24: "driving", 25: "golf", 26: "hang gliding", 27: "horseback riding",
        28: "hunting", 29: "fishing", 30: "inline skating", 31: "rock climbing", 32: "sailing", 33: "ice skating",
        34: "sky diving", 35: "snowshoeing", 36: "snowmobiling", 37: "stand up paddleboarding", 38: "surfing",
        39: "wakeboarding", 40: "water skiing", 41: "kayaking", 42: "rafting", 43: "windsurfing", 44: "kitesurfing",
        45: "tactical", 46: "jumpmaster", 47: "boxing", 48: "floor climbing", 49: "baseball", 53: "diving",
        56: "shooting", 58: "winter sport", 59: "grinding", 62: "hiit", 63: "video gaming", 64: "racket",
        65: "wheelchair push walk", 66: "wheelchair push run", 67: "meditation", 69: "disc golf", 70: "team sport",
        71: "cricket", 72: "rugby", 73: "hockey", 74: "lacrosse", 75: "volleyball", 79: "archery",
        80: "mixed martial arts", 82: "snorkeling", 83: "dance", 84: "jump rope", 88: "canoeing",
    ]
    private static let fitNumbers: [String: UInt8] = Dictionary(
        fitNames.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })

    /// A number of FIT's type `sport`, and the name that the device has for it; nil where neither says anything.
    init?(fit number: Int64?, name: String?) {
        switch number {
        case 1: self = .running
        case 2: self = .cycling
        case 11: self = .walking
        case .some(let number) where Self.fitNames[UInt8(clamping: number)] != nil:
            self = .other(Self.fitNames[UInt8(clamping: number)] ?? "")
        case .some(let number) where number != 0 && number != 254: self = .other(name ?? "sport \(number)")
        default:
            guard let name else { return nil }
            self = .other(name)
        }
    }

    /// The number of FIT's type `sport`; 0, generic, for what is not in its list.
    var fitNumber: UInt8 {
        switch self {
        case .running: 1
        case .cycling: 2
        case .walking: 11
        case .other(let name): Self.fitNumbers[name] ?? 0
        }
    }

    /// Whether a cycle of this sport is a stride of two steps.
    var isOnFoot: Bool { self == .running || self == .walking }

    /// A number of FIT's type `activity_type`, which monitoring files have.
    init?(fitActivityType number: Int64?) {
        switch number {
        case 1: self = .running
        case 2: self = .cycling
        case 6: self = .walking
        default: return nil
        }
    }
}

/// Makers, as FIT's type `manufacturer` numbers them: those whose devices and programs write most files.
enum FITManufacturer {
    private static let names: [UInt16: String] = [
        1: "garmin", 2: "garmin_fr405_antfs", 13: "dynastream_oem", 15: "dynastream", 23: "suunto",
        32: "wahoo_fitness", 38: "osynce", 70: "sigmasport", 71: "tomtom", 89: "tacx", 95: "stryd",
        107: "magene", 115: "igpsport", 123: "polar_electro", 258: "lezyne", 260: "zwift",
        263: "favero_electronics", 265: "strava", 267: "bryton", 281: "trainer_road", 289: "hammerhead",
        294: "coros", 305: "whoop", 331: "mywhoosh", 339: "zepp", 340: "peloton", 348: "huawei",
    ]
    private static let numbers: [String: UInt16] = Dictionary(
        names.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })

    /// What a maker without a number has.
    static let development: UInt16 = 255

    /// The word, or the number.
    static func name(_ number: Int64) -> String { names[UInt16(clamping: number)] ?? "\(number)" }

    /// The number of a word, or of a number.
    static func number(_ name: String) -> UInt16? { numbers[name] ?? UInt16(name) }
}
