import Daemon
import Glibc
import MQTT

/// How long certificates are still valid: those in files, and the broker's own. openssl(1) reads them, and gets them on
/// its standard input: what the doctor opens is a file of limited length.
struct CertificateChecks {
    private let subject: Check.Subject
    private let options: MQTT.Options
    private let limit: Duration

    /// What deploy/certificates renews by itself has more time left than this.
    private static let notice: Int64 = 14 * 86_400
    private static let longest = 1 << 20
    /// How many authorities of a file are looked at. No file of ours holds more.
    private static let most = 20

    init(_ subject: Check.Subject, _ options: MQTT.Options, _ limit: Duration) {
        (self.subject, self.options, self.limit) = (subject, options, limit)
    }

    var all: [Check] {
        guard let tls = options.tls else { return [] }
        var checks: [Check] = []
        if let path = tls.caFile { checks.append(Check(subject, "authority") { file(path, Self.most) }) }
        // The program's own certificate is the first in its file; authorities follow.
        if let path = tls.certificateFile { checks.append(Check(subject, "certificate") { file(path, 1) }) }
        if options.socketPath == nil { checks.append(Check(subject, "broker's certificate", server)) }
        return checks
    }

    private func file(_ path: String, _ most: Int) -> Finding {
        let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard file >= 0 else {
            let text = "\(path): \(String(cString: strerror(errno)))"
            return errno == EACCES ? .needsRoot(text) : .problem(text, "put the certificate there")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.longest else {
            return .problem("\(path) is not a file of certificates", "put the certificate there")
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = read(file, &bytes, bytes.count)
        return finding(path, certificates(in: bytes.prefix(max(0, count)), most))
    }

    /// The broker's certificate, as it shows it to anybody who connects.
    private func server() -> Finding {
        let shown = "the certificate of \(options.address)"
        do throws(Failure) {
            let capture = try Capture(
                "openssl", ["s_client", "-connect", options.address, "-servername", options.host], within: limit,
                atMost: 1 << 18)
            let found = certificates(in: capture.output[...], 1)
            guard !found.isEmpty else {
                return .unknown("\(options.address) showed no certificate", "see the check of the broker")
            }
            return finding(shown, found)
        } catch {
            return .unknown(error.message, "install it", run: "sudo apt-get install openssl")
        }
    }

    private func certificates(in bytes: ArraySlice<UInt8>, _ most: Int) -> [String] {
        let (begin, end) = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----")
        return String(decoding: bytes, as: UTF8.self).split(separator: begin, omittingEmptySubsequences: false)
            .dropFirst()
            .prefix(most).compactMap { part in
                part.firstRange(of: end).map { begin + part[..<$0.upperBound] + "\n" }
            }
    }

    /// One that is valid is enough: a file of authorities may hold those of earlier years.
    private func finding(_ shown: String, _ certificates: [String]) -> Finding {
        guard !certificates.isEmpty else { return .problem("\(shown) holds no certificate", "put one there, as PEM") }
        let hint = "renew it, and have the programs read it: deploy/access.md"
        do throws(Failure) {
            guard try isAnyValid(certificates, for: 0) else { return .problem("\(shown) has expired", hint) }
            guard try isAnyValid(certificates, for: Self.notice) else {
                return .warning("\(shown) ends within 14 days", hint)
            }
            return .ok(shown)
        } catch {
            return .unknown(error.message, error.hint ?? "look at it with openssl x509 -text")
        }
    }

    private func isAnyValid(_ certificates: [String], for seconds: Int64) throws(Failure) -> Bool {
        for certificate in certificates where try isValid(certificate, for: seconds) { return true }
        return false
    }

    /// Whether a certificate is still valid so many seconds from now.
    private func isValid(_ certificate: String, for seconds: Int64) throws(Failure) -> Bool {
        let capture = try Capture(
            "openssl", ["x509", "-noout", "-checkend", "\(seconds)"], input: Array(certificate.utf8), within: limit)
        let text = String(decoding: capture.output, as: UTF8.self)
        // Its status is 1 both for one that ends and for one that it cannot read.
        if capture.status == 0 { return true }
        guard text.contains("will expire") else {
            throw Failure(.data, "a certificate cannot be read", hint: "make it again: deploy/access.md")
        }
        return false
    }
}
