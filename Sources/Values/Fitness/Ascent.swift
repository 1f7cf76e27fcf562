/// Metres climbed along a series of altitudes in metres. A change counts once it differs from the last counted altitude
/// by the hysteresis: anything less is noise.
public func ascentMetres(_ altitudes: some Sequence<Double>, hysteresis: Double = 3) -> Double {
    var total = 0.0
    var anchor: Double?
    for altitude in altitudes {
        guard let reference = anchor else {
            anchor = altitude
            continue
        }
        // The anchor follows only once the change is beyond noise, upwards or downwards.
        if altitude - reference >= hysteresis {
            total += altitude - reference
            anchor = altitude
        } else if reference - altitude >= hysteresis {
            anchor = altitude
        }
    }
    return total
}
