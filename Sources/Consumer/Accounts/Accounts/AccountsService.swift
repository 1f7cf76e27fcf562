package import Desk
package import Features
package import Files
package import Telemetry

/// Accounts, and what people may do to everything of theirs.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
package final class AccountsService: FeatureService, @unchecked Sendable {
    /// Nil where nobody can sign up or in.
    package let accounts: Accounts?
    private let resetAll: ResetAll

    package init(_ context: PeopleContext) throws(VaultError) {
        accounts = try context.settings[AccountsSetting.self].accounts.map { settings throws(VaultError) in
            try Accounts(context, settings)
        }
        resetAll = ResetAll(context, accounts)
    }

    package var verbs: [Verb] { (accounts?.verbs ?? []) + resetAll.verbs }

    package func brokerIsInLine(_ found: Set<ID>) { accounts?.devices.brokerIsInLine(found) }
}
