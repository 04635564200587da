internal import FoundationEssentials

extension SandboxOptions {
    /// Reads the command line; `nil` for `--help`.
    ///
    /// - throws: ``SandboxOptionError``, exit code 64.
    package init?(arguments: some Sequence<String>) throws(SandboxOptionError) {
        self.init()
        var rest = Array(arguments)[...]
        while let option = rest.popFirst() {
            switch option {
            case "--help": return nil
            case "--port": port = try Self.number(option, &rest)
            case "--ws-port": webSocketPort = try Self.number(option, &rest)
            case "--seed": seed = try Self.number(option, &rest) as UInt64
            case "--speed":
                speed = try Self.number(option, &rest)
                guard speed.isFinite, speed > 0, speed <= 1_000 else {
                    throw SandboxOptionError(description: "--speed: use a number above 0, at most 1000")
                }
            case "--tls":
                tls = TLSIdentity(
                    certificate: try Self.contents(option, &rest), key: try Self.contents(option, &rest))
            default: throw SandboxOptionError(description: "unknown option \(option)")
            }
        }
    }

    private static func number<Number: LosslessStringConvertible>(
        _ option: String, _ rest: inout ArraySlice<String>
    ) throws(SandboxOptionError) -> Number {
        guard let text = rest.popFirst(), let number = Number(text) else {
            throw SandboxOptionError(description: "\(option): a number is required")
        }
        return number
    }

    private static func contents(
        _ option: String, _ rest: inout ArraySlice<String>
    ) throws(SandboxOptionError) -> String {
        guard let path = rest.popFirst() else {
            throw SandboxOptionError(description: "\(option): a certificate and a key are required")
        }
        do {
            return try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw SandboxOptionError(description: "\(option): cannot read \(path)")
        }
    }
}
