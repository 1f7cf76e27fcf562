package import Telemetry
package import Vault

/// Makes the signed messages to gateways.
package struct Control: Sendable {
    package let store: StoreID
    package let topics: Topics
    package let identity: Ed25519.SigningKey

    package init(store: StoreID, topics: Topics, identity: Ed25519.SigningKey) {
        self.store = store
        self.topics = topics
        self.identity = identity
    }

    /// Topic and payload of an answer.
    package func message(_ answer: Answer) throws(VaultError) -> (topic: String, payload: [UInt8]) {
        switch answer {
        case .acknowledge(let gateway, let identities):
            (topics[gateway, .control], try signed(.acknowledgement(identities), gateway))
        case .refuse(let gateway, let identity, let digest, let reason):
            (topics[gateway, .control], try signed(.refusal(identity, digest: digest, reason), gateway))
        case .requestKey(let gateway, let stream, let session):
            (topics[gateway, .control], try signed(.keyRequest(stream, session), gateway))
        }
    }

    /// Topic and payload of a grant, to be retained.
    package func message(_ grant: Grant, _ gateway: ID) throws(VaultError) -> (topic: String, payload: [UInt8]) {
        (topics[gateway, grant.sensor, .grant], try signed(.grant(grant), gateway))
    }

    private func signed(_ body: ControlMessage.Body, _ gateway: ID) throws(VaultError) -> [UInt8] {
        let message = ControlMessage(store: store, gateway: gateway, body)
        return message.bytes(signature: try identity.sign(message.signedBytes))
    }
}
