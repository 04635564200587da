internal import Contract
internal import JSON

extension SandboxCore {
    /// `/sandbox/…`: what a test or a demonstration asks for. Never faulty, never logged.
    mutating func control(_ request: SandboxRequest, at now: Instant) -> Reception {
        guard let body = request.json else { return answer(.error(400, nil, "The body is no JSON object."), now) }
        let parts = request.path.split(separator: "/").map(String.init)
        switch (request.method, parts.count, parts.dropFirst().first) {
        case ("GET", 2, "faults"):
            return answer(SandboxAnswer(status: 200, json: ["faults": .array(faults.map(\.json))]), now)
        case ("POST", 2, "faults"): return answer(addFault(body), now)
        case ("DELETE", 2, "faults"), ("DELETE", 3, "faults"):
            return answer(clearFaults(parts.count == 3 ? parts[2] : nil, at: now), now)
        case ("POST", 2, "release"):
            let count = releaseHeld(at: now)
            return answer(SandboxAnswer(status: 200, json: ["released": .integer(count)]), now)
        case ("POST", 4, "payments") where parts[3] == "status":
            return answer(model.drive(payment: parts[2], body, at: now), now)
        case ("GET", 2, "log"): return watchLog(request, at: now)
        case ("GET", 2, "realtime"): return watchRealtime(request, at: now)
        case ("POST", 2, "realtime"): return answer(actOnRealtime(body), now)
        default: return answer(.error(404, nil, "The sandbox has no \(request.method) \(request.path)."), now)
        }
    }

    private mutating func answer(_ answer: SandboxAnswer, _ now: Instant) -> Reception {
        .deliver(.answer(finished(answer, at: now)))
    }

    private mutating func addFault(_ body: JSONValue) -> SandboxAnswer {
        // Those that are used up only tell how often they were, and go when there is no room.
        if faults.count >= Self.mostFaults { faults.removeAll { $0.timesLeft == 0 } }
        guard faults.count < Self.mostFaults else { return .error(429, nil, "Too many faults.") }
        do throws(InvalidField) {
            let fault = try Fault(id: "fault_\(faultCount + 1)", body)
            faultCount += 1
            faults.append(fault)
            return SandboxAnswer(status: 201, json: fault.json)
        } catch {
            return error.answer
        }
    }

    /// Clears one fault or all; without faults nobody is held any longer, so that the silent connections close.
    private mutating func clearFaults(_ id: String?, at now: Instant) -> SandboxAnswer {
        let count = faults.count
        faults.removeAll { id == nil || $0.id == id }
        if id != nil, faults.count == count { return .error(404, nil, "No such fault.") }
        if id == nil { _ = releaseHeld(at: now) }
        return SandboxAnswer(status: 200, json: ["cleared": .integer(count - faults.count)])
    }

    /// Lets go what faults hold: late requests arrive and late answers leave, in the order they came; silent connections
    /// close. Returns how many were held.
    private mutating func releaseHeld(at now: Instant) -> Int {
        let held = holds.filter { _, kind in
            switch kind {
            case .process, .deliver: true
            case .log, .subscriptions: false
            }
        }
        for id in held.keys.sorted(by: { $0.number < $1.number }) { release(id, at: now) }
        return held.count
    }

    private mutating func actOnRealtime(_ body: JSONValue) -> SandboxAnswer {
        var channel: String?
        if let payment = body["payment"]?.string {
            guard let id = model.identifier(payment), let reference = model.payments[id]?.reference else {
                return .error(404, "payment_not_found", "This payment does not exist.")
            }
            channel = SandboxModel.channelPrefix + reference
        }
        do throws(InvalidField) {
            try realtime.act(body, channel: channel)
            return SandboxAnswer(status: 200, json: realtime.report)
        } catch {
            return error.answer
        }
    }

    // MARK: Looking, and waiting for something to see

    /// `GET /sandbox/log?after=N&path=&payment=&wait_seconds=S`: with a wait, answered once an entry matches.
    private mutating func watchLog(_ request: SandboxRequest, at now: Instant) -> Reception {
        let filter = RequestLog.Filter(
            after: request.query["after"].flatMap(Int.init) ?? 0, path: request.query["path"],
            payment: request.query["payment"])
        guard let wait = wait(request), log.entries(filter).isEmpty, holds.count < Self.mostHolds else {
            return .deliver(.answer(logAnswer(filter, at: now)))
        }
        return .hold(hold(.log(filter), until: now + wait))
    }

    /// `GET /sandbox/realtime?subscriptions=N&wait_seconds=S`: with a wait, answered once so many subscriptions stand.
    private mutating func watchRealtime(_ request: SandboxRequest, at now: Instant) -> Reception {
        let wanted = request.query["subscriptions"].flatMap(Int.init) ?? 0
        guard let wait = wait(request), realtime.subscriptionCount < wanted, holds.count < Self.mostHolds else {
            return .deliver(.answer(realtimeAnswer(at: now)))
        }
        return .hold(hold(.subscriptions(wanted), until: now + wait))
    }

    private func wait(_ request: SandboxRequest) -> Duration? {
        guard let seconds = request.query["wait_seconds"].flatMap(Double.init), seconds > 0 else { return nil }
        return .seconds(min(seconds, 86_400))
    }

    mutating func logAnswer(_ filter: RequestLog.Filter, at now: Instant) -> SandboxAnswer {
        finished(
            SandboxAnswer(
                status: 200,
                json: ["last": .integer(log.count), "requests": .array(log.entries(filter).map(\.json))]),
            at: now)
    }

    mutating func realtimeAnswer(at now: Instant) -> SandboxAnswer {
        finished(SandboxAnswer(status: 200, json: realtime.report), at: now)
    }
}
