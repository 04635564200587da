import FoundationEssentials
import Glibc
import JSON
import JSONRPC
import PlatformTestSupport

/// Measures the daemon, each figure as a ratio to a baseline of the same run (README, "Figures").
@main
struct Bench {
    static func main() async throws {
        let directory = FileManager.default.temporaryDirectory.path + "/wajubd-bench-\(getpid())"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let binaries = CommandLine.arguments[0].directory
        let bench = Bench(directory: directory, binaries: binaries)
        do {
            try await bench.run()
        } catch {
            print("bench: \(error)")
            exit(1)
        }
        try FileManager.default.removeItem(atPath: directory)
    }

    let directory: String
    let binaries: String

    private func run() async throws {
        try await idle()
        try await handOffs()
        try await statuses()
        try await pushes()
    }

    /// Starts a daemon with a store of its own.
    func daemon(_ name: String, origin: String) async throws -> (ChildProcess, socket: String) {
        let state = "\(directory)/\(name)"
        let socket = "\(directory)/\(name).sock"
        let process = try ChildProcess(
            "\(binaries)/wajubd",
            ["--api-origin", origin, "--state-directory", state, "--socket", socket, "--log-level", "notice"])
        guard await process.errors.first(where: { $0.contains("ready") }) != nil else {
            throw BenchError(what: "wajubd did not start: \(process.errors.lines)")
        }
        return (process, socket)
    }

    func stop(_ process: ChildProcess) async {
        process.signal(SIGTERM)
        await process.ended()
    }

    func report(_ what: String, _ figures: String) {
        print("\(what.padded(to: 34)) \(figures)")
        fflush(nil)
    }
}

/// What kept a measurement from being made.
struct BenchError: Error, CustomStringConvertible {
    let what: String
    var description: String { what }
}

extension String {
    var directory: String { lastIndex(of: "/").map { String(self[..<$0]) } ?? "." }

    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }
}

extension Double {
    /// With two decimals.
    var short: String {
        let hundredths = Int((self * 100).rounded())
        let rest = abs(hundredths % 100)
        return "\(hundredths < 0 ? "-" : "")\(abs(hundredths) / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}

/// Durations that were measured.
struct Sample {
    private var milliseconds: [Double] = []

    mutating func add(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        milliseconds.append(Double(seconds) * 1e3 + Double(attoseconds) / 1e15)
    }

    mutating func add(_ other: Sample) { milliseconds += other.milliseconds }

    /// The value that this fraction of the sample stays under.
    func percentile(_ fraction: Double) -> Double {
        let sorted = milliseconds.sorted()
        return sorted.isEmpty ? 0 : sorted[Swift.min(sorted.count - 1, Int(Double(sorted.count) * fraction))]
    }
}
