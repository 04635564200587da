import FoundationEssentials
import Glibc
import JSON
import JSONRPC
import PlatformTestSupport
import StageSupport
import Testing

/// A disk of 2 MB for a state directory, in a mount namespace that ends with the daemon.
private enum SmallDisk {
    /// Mounts it on the directory that is the next argument, and becomes the program that is the rest.
    static let mounting = [
        "/usr/bin/unshare", "-rm", "/bin/sh", "-c",
        "mkdir -p \"$0\" && mount -t tmpfs -o size=2m,mode=0700 tmpfs \"$0\" && exec \"$@\"",
    ]

    /// Whether this machine lets us. Nobody but root looks into the namespace of a daemon that hides its memory.
    @Sendable static func isPossible() async throws -> Bool {
        guard geteuid() == 0, FileManager.default.isExecutableFile(atPath: mounting[0]) else { return false }
        let directory = FileManager.default.temporaryDirectory.path + "/wajub-" + UUID().uuidString.prefix(8)
        let trial = try ChildProcess(
            mounting[0], Array(mounting.dropFirst()) + [directory, "/bin/true"], environment: ["PATH": "/usr/bin:/bin"])
        let ending = await trial.ended()
        try? FileManager.default.removeItem(atPath: directory)
        return ending == .exited(0)
    }
}

extension Paying.Kills {
    @Suite(.enabled { try await SmallDisk.isPossible() }) struct FullDisk {
        @Test("Pay on a full disk is refused, and nothing is sent; with room again the same press pays once")
        func refusesToPay() async throws {
            try await Scene.with(speed: 20) { scene in
                let daemon = try await scene.start(
                    environment: ["PATH": "/usr/bin:/bin"], wrapper: SmallDisk.mounting + [scene.stage.state])
                let checkout = try await scene.checkout(of: daemon)
                let filler = "/proc/\(daemon.pid)/root" + scene.stage.state + "/filler"
                try fill(filler)
                let refused = try await checkout.refusal("pay", Checkout.number())
                #expect(refused.data?["code"] == "storage_unavailable")
                let status = try await checkout.status()
                #expect(status["attempt"] == nil)
                #expect(status["state"] != "PROCESSING")
                #expect(try await checkout.requests().isEmpty)

                try FileManager.default.removeItem(atPath: filler)
                try await checkout.pay()
                _ = try await checkout.settled()
                try await checkout.expectPaidOnce()
            }
        }

        /// Writes until the disk is full.
        private func fill(_ path: String) throws {
            let descriptor = open(path, O_CREAT | O_WRONLY, 0o600)
            try #require(descriptor >= 0, "\(String(cString: strerror(errno)))")
            defer { close(descriptor) }
            let block = [UInt8](repeating: 0x2A, count: 4096)
            while write(descriptor, block, block.count) > 0 {}
            #expect(errno == ENOSPC)
        }
    }
}
