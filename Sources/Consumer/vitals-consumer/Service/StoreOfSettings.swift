import Daemon
import Features
import Readings
import Records

extension Store {
    /// Opens the store of the settings, with the tables of all features: to write, or to read beside a service.
    convenience init(
        _ settings: any HouseSettings, _ features: [Feature] = Feature.all, readOnly: Bool = false
    ) throws(Failure) {
        try self.init(folder: settings.state, readOnly: readOnly, adding: features.schema)
    }
}

extension OperatorParts {
    /// What a feature's command works with, by the settings.
    init(_ settings: any HouseSettings, output: CInt) {
        self.init(output: output) { access throws(Failure) in
            let keys = try Keys(settings, access)
            return (try Store(settings, readOnly: access == .read), keys)
        }
    }
}
