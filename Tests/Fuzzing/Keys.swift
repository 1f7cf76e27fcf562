import Telemetry
import Vault

/// Keys as text, and sealed bytes from anybody: nothing that we did not seal ourselves opens.
func fuzzKeys(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    if let key = accepted({ () throws(VaultError) in try KeyFile.bytes(of: text) }) {
        hold(key.count == 32, "a key has 32 bytes")
        let line = text.utf8.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        hold(Array(KeyFile.text(of: key).utf8) == Array(line), "a key is spelt in one way only")
    }
    guard
        let (person, gateway, cipher) = accepted({ () throws(VaultError) in
            let seed = try SymmetricKey([UInt8](repeating: 7, count: SymmetricKey.length))
            return (
                try X25519KeyPair(privateKey: seed), try Ed25519.VerifyingKey(Ed25519.SigningKey(seed: seed).publicKey),
                BlockCipher(key: seed)
            )
        })
    else { return hold(false, "fixed keys are keys") }
    let block = accepted { () throws(VaultError) in try SessionKey.open(bytes, recipient: person, gateway: gateway) }
    hold(block == nil, "a key block that nobody sealed opens")
    let opened = accepted { () throws(VaultError) in try cipher.open(bytes, seq: 1, aad: []) }
    hold(opened == nil, "bytes that nobody sealed open")
}
