internal import Contract
internal import FoundationEssentials
internal import Glibc
internal import JSON
internal import JSONRPC
internal import Platform
internal import Store
internal import WajubWatch

/// What `daemon.info` tells, beside what the methods know themselves.
struct DaemonInfo: Sendable {
    var version: String
    var apiOrigin: String
    var startedAt: Instant
    var realtime: (connected: Int, connecting: Int)
    var isClockSuspect: Bool
}

extension Methods {
    private struct InfoObject: Encodable {
        struct RealtimeObject: Encodable {
            let connected: Int
            let connecting: Int
        }

        let name = "wajubd"
        let version: String
        let `protocol` = 1
        let contract = "v2"
        let api_origin: String
        let pid: Int32
        let uptime_seconds: Double
        let watching: Int
        let payments: Int
        let last_seq: Int64
        let realtime: RealtimeObject
        let storage: StorageHealth
        let clock: String
    }

    func daemonInfo(_ request: RPCRequest) throws(RPCError) -> RPCResult {
        _ = try Params(request, allowed: [])
        let info = info()
        let counts = try reading { () throws(StoreError) in try store.counts() }
        return try encoded(
            InfoObject(
                version: info.version, api_origin: info.apiOrigin, pid: getpid(),
                uptime_seconds: (time.now - info.startedAt).inSeconds, watching: registry.watching,
                payments: counts.payments, last_seq: store.lastSeq,
                realtime: InfoObject.RealtimeObject(
                    connected: info.realtime.connected, connecting: info.realtime.connecting),
                storage: store.health, clock: info.isClockSuspect ? "suspect" : "ok"))
    }

    func describe(_ request: RPCRequest) throws(RPCError) -> RPCResult {
        _ = try Params(request, allowed: [])
        return try encoded(ContractDescription())
    }
}
