package import Days
package import Readings

/// The parts of a service that features answer with. Belongs to the session's thread.
package struct FeatureParts {
    package let context: PeopleContext
    package let days: Days
    package let readers: FeatureReaders
    package let deletions: Deletions
    package let packing: Packing
    /// The services of features that stand before this one in the list.
    package var earlier: [any FeatureService] = []

    package init(
        _ context: PeopleContext, _ days: Days, _ readers: FeatureReaders, _ deletions: Deletions, _ packing: Packing
    ) {
        self.context = context
        self.days = days
        self.readers = readers
        self.deletions = deletions
        self.packing = packing
    }

    /// The service of an earlier feature; nil if the settings want none.
    package func earlier<Service: FeatureService>(_ type: Service.Type) -> Service? {
        for service in earlier { if let service = service as? Service { return service } }
        return nil
    }
}
