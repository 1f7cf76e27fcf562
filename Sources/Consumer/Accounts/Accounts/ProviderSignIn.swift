import Daemon
package import Desk
import Features
import Files
package import OpenID
import Records
package import Telemetry

// Signing in with Google, Facebook and others.
//
//     accounts/nonce         {provider}                      the application gets a nonce,
//                                                            and has the provider put it into an ID token
//     accounts/sign-in-with  {provider, id_token, device?}   the token is exchanged for a credential of ours
//
// IDToken.swift says when a token is believed. The nonce is used up in the transaction that makes the device, so a
// token is good for one device only; if the device cannot be made, the nonce is not used up.

/// Answers requests to sign in with a provider that vouches for people. Belongs to the session's thread.
package final class ProviderSignIn {
    /// A person that a provider vouches for, and what uses up the nonce: to be called within the transaction that makes
    /// the device.
    package struct Vouched {
        package let about: TokenSubject
        /// The provider's name in the settings.
        package let provider: String
        package let device: DeviceName
        /// When its nonce was drawn, Unix milliseconds.
        package let begun: Int64
        let useNonce: () throws -> Void
    }

    /// Of a provider, in bytes.
    static let longestName = 64
    /// Requests with a token are longer than others.
    package static let maximumLength = CompactJWS.maximumLength + 2048

    private let context: PeopleContext
    private let providers: [String: ProviderSettings]
    private let keySets: KeySets
    /// Fetches for as long as this value exists.
    private let fetching: KeyFetching?
    private let nonces: Nonces
    private let complete: (Vouched, PeopleRequest) throws -> Void

    /// Signing in with the providers of the settings.
    convenience init(_ accounts: Accounts) throws(VaultError) {
        let (context, providers) = (accounts.context, accounts.settings.providers)
        let fetching = KeyFetching(providers)
        let loop = context.session.loop
        let keySets = fetching.keySets(back: { loop.perform($0) })
        let nonces = try Nonces(pepper: context.keys.pepper)
        self.init(context, providers, keySets, fetching, nonces) { [unowned accounts] vouched, request in
            accounts.signIn(
                provider: vouched.provider, issuer: vouched.about.issuer, subject: vouched.about.subject,
                device: vouched.device, begun: vouched.begun, useNonce: vouched.useNonce
            ) { result in
                do { accounts.devices.welcome(try result.get(), request, "You are signed in") } catch {
                    Self.refuse(request, error, accounts.context)
                }
            }
        }
    }

    /// The same with keys that come in another way, and given nonces.
    /// - Parameter complete: finds the person or makes one, and answers, or throws.
    init(
        _ context: PeopleContext, _ providers: [String: ProviderSettings], _ keySets: KeySets, _ fetching: KeyFetching?,
        _ nonces: Nonces,
        complete: @escaping (Vouched, PeopleRequest) throws -> Void
    ) {
        self.context = context
        self.keySets = keySets
        self.fetching = fetching
        self.nonces = nonces
        self.providers = providers
        self.complete = complete
    }

    /// What guests may ask.
    package var verbs: [Verb] {
        [
            Verb("nonce", .nonce, for: .guests, .atOnce { [unowned self] in try nonce($0) }),
            Verb(
                "sign-in-with", .signInWith, for: .guests, maximumLength: Self.maximumLength,
                .later { [unowned self] in signIn($0) }),
        ]
    }

    package func nonce(_ request: PeopleRequest) throws -> JSON {
        let provider = try provider(request)
        let (nonce, expires) = try nonces.issue(for: provider.name, now: context.now())
        // Somebody is about to come back with a token.
        keySets.prepare(provider)
        return ["nonce": .string(nonce), "expires": .integer(expires)]
    }

    func signIn(_ request: PeopleRequest) {
        verify(request) { [context, complete] result in
            do { try complete(result.get(), request) } catch { Self.refuse(request, error, context) }
        }
    }

    /// Verifies the ID token of a request.
    /// - Parameter completion: gets the person that the provider vouches for, or what to answer; now, or when the
    ///   provider's keys have been fetched.
    package func verify(_ request: PeopleRequest, _ completion: @escaping (Result<Vouched, any Error>) -> Void) {
        do {
            let provider = try provider(request)
            let device = try DeviceName(request.fields)
            let token = try CompactJWS(request.text("id_token", atMost: Self.maximumLength))
            guard provider.algorithms.contains(token.algorithm) else { throw TokenRefusal.algorithm }
            let wanted = { (keys: KeySet) in keys.key(named: token.keyName, for: token.algorithm) != nil }
            keySets.find(provider, wanted: wanted) { [weak self] found in
                guard let self else { return }
                completion(Result { try self.exchange(token, provider, device, found) })
            }
        } catch {
            completion(.failure(error))
        }
    }

    private func exchange(
        _ token: CompactJWS, _ provider: ProviderSettings, _ device: DeviceName, _ found: KeySets.Found
    ) throws -> Vouched {
        let keys: KeySet
        switch found {
        case .keys(let set): keys = set
        case .unavailable(let seconds):
            throw ReplyError(.busy, "\(provider.name) cannot be asked for its keys now", retryAfterSeconds: seconds)
        }
        try token.verify(keys, provider)
        let now = context.now()
        let claims = try IDToken(token.payload, from: provider, now: now)
        let (id, expires) = try nonces.check(claims.nonce, for: provider.name, now: now)
        let database = context.store.database
        guard try !Nonces.isUsed(id, database) else { throw TokenRefusal.nonce(.used) }
        return Vouched(
            about: claims.about, provider: provider.name, device: device, begun: expires - Nonces.lifetime,
            useNonce: { try Nonces.use(id, expires: expires, now: now, database) })
    }

    private func provider(_ request: PeopleRequest) throws(ReplyError) -> ProviderSettings {
        let name = try request.text("provider", atMost: Self.longestName)
        guard let provider = providers[name] else {
            let known = providers.keys.sorted().joined(separator: ", ")
            throw ReplyError(
                .invalid, known.isEmpty ? "there is no provider here" : "the providers here are \(known)",
                field: "provider")
        }
        return provider
    }

    private static func refuse(_ request: PeopleRequest, _ error: any Error, _ context: PeopleContext) {
        if let refusal = error as? TokenRefusal {
            context.limitedLog.info("\(request.name): \(refusal.kind)") { "\(request.name): \(refusal)\($0)" }
        }
        request.refuse(error)
    }
}
