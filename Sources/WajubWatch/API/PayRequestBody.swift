package import Contract
internal import FoundationEssentials
package import Platform

/// The bodies of requests that pay: made once, sent byte for byte the same at each try (`wire.md`, POST /pay/process).
package enum PayRequestBody {
    /// POST /pay/process: what the till asked for, and the device's signals beside it.
    package static func process(_ payment: PreparedPayment, returnURL: String?, device: DeviceSignals) throws -> Secret
    {
        var members: [(String, String)] = [
            (Wire.BodyField.channel, try encoded(payment.channel)), (Wire.BodyField.data, try dataText(payment.data)),
            (Wire.BodyField.device, try encoded(device)),
        ]
        if let returnURL { members.append((Wire.BodyField.returnURL, try encoded(returnURL))) }
        return Secret("{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}")
    }

    /// POST /pay/client-session.
    package static func clientSession(
        channel: String, email: String?, name: String?, returnURL: String?, restart: Bool
    ) throws -> Secret {
        var members = [(Wire.BodyField.channel, try encoded(channel))]
        if let email { members.append((Wire.BodyField.email, try encoded(email))) }
        if let name { members.append((Wire.BodyField.name, try encoded(name))) }
        if let returnURL { members.append((Wire.BodyField.returnURL, try encoded(returnURL))) }
        if restart { members.append((Wire.BodyField.restart, "true")) }
        return Secret("{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}")
    }

    /// A flat object of texts.
    static func object(_ members: [String: String]) throws -> Secret {
        Secret(try encoded(members))
    }

    private static func dataText(_ data: PayData) throws -> String {
        switch data {
        case .fields(let fields): try encoded(fields)
        case .json(let text): text
        }
    }

    private static func encoded(_ value: some Encodable) throws -> String {
        String(decoding: try JSONText.encoder.encode(value), as: UTF8.self)
    }
}

/// What Wajub scores fraud by (seed 000, "Device signals and privacy"); a till has no screen to tell of.
package struct DeviceSignals: Encodable, Sendable {
    let timezone: String
    let language: String?
    let languages: [String]
    /// SHA-256 in hexadecimal of the installation's random id: never of the hardware.
    let fingerprint: String

    /// - Parameters:
    ///   - installID: random, made at the first use and kept in the store.
    ///   - languages: the device's, dearest first.
    package init(installID: String, languages: [String], timezone: String = DeviceLocale.timeZone()) {
        self.timezone = timezone
        language = languages.first
        self.languages = languages
        fingerprint = Digest.hex(Digest.sha256(Array(installID.utf8)))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Wire.DeviceKey.self)
        try container.encode(timezone, forKey: .timezone)
        try container.encodeIfPresent(language, forKey: .language)
        try container.encode(languages, forKey: .languages)
        try container.encode(fingerprint, forKey: .fingerprint)
    }
}
