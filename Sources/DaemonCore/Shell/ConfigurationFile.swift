internal import Arguments
internal import Glibc

/// The configuration file: `name = value` lines with the names of the flags, `#` for a comment.
enum ConfigurationFile {
    /// The most bytes that it may have.
    static let longest = 65_536

    /// What one line says.
    struct Setting: Equatable {
        let value: String
        /// Where it was said, as errors name it: `/etc/wajubd/wajubd.conf, line 3: log-level`.
        let source: String
    }

    /// The file's text; nil if there is none.
    ///
    /// - throws: when it is there and cannot be read, is too long, or is no UTF-8.
    static func read(_ path: String) throws(ArgumentError) -> String? {
        // A pipe without a writer must not hold the daemon up: the type is looked at below.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw ArgumentError("--config: \(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        // Nothing was written to it, so its closing tells nothing.
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ArgumentError("--config: \(path) is no file")
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: longest + 1)
        while bytes.count <= longest {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw ArgumentError("--config: \(path) cannot be read: \(String(cString: strerror(errno)))")
            }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        guard bytes.count <= longest else { throw ArgumentError("--config: \(path) is longer than \(longest) bytes") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ArgumentError("--config: \(path) is not UTF-8")
        }
        return text
    }

    /// The lines by the environment variables whose place they take where those are not set. The last of two wins.
    ///
    /// - throws: a line that cannot be understood, by its number.
    static func settings(
        _ text: String, path: String, parser: OptionParser
    ) throws(ArgumentError) -> [String: Setting] {
        var settings: [String: Setting] = [:]
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let place = "\(path), line \(index + 1)"
            let content = trimmed(line)
            if content.isEmpty || content.hasPrefix("#") { continue }
            guard let equals = content.firstIndex(of: "=") else {
                throw ArgumentError("\(place): is not name = value")
            }
            let name = trimmed(content[..<equals])
            guard let variable = parser.variable(named: String(name)), name != "config" else {
                throw ArgumentError("\(place): names no option that a file can set: \(name)")
            }
            let value = trimmed(content[content.index(after: equals)...])
            guard !value.isEmpty else { throw ArgumentError("\(place): \(name): the value is empty") }
            settings[variable] = Setting(value: String(value), source: "\(place): \(name)")
        }
        return settings
    }

    /// An error about a variable that stands for a line of the file, naming the line instead.
    static func renamed(_ error: ArgumentError, _ settings: [String: Setting]) -> ArgumentError {
        let text = error.description
        guard let colon = text.firstIndex(of: ":"), let setting = settings[String(text[..<colon])] else { return error }
        return ArgumentError(setting.source + text[colon...])
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop { $0.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return start[...end]
    }
}
