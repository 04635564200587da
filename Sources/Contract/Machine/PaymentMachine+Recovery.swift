extension PaymentMachine {
    /// After a reboot `CLOCK_BOOTTIME` starts over: what was used up at the last checkpoint counts, the rest remains
    /// (design.md, "Restart and reboot"). Within one boot, do not call it: the stored moments are exact.
    package mutating func rebase(from checkpoint: Instant, to now: Instant) {
        let offset = now - checkpoint
        func moved(_ fetch: Loading.Fetch) -> Loading.Fetch {
            if case .waiting(let moment) = fetch { .waiting(until: moment + offset) } else { fetch }
        }
        loading.session = moved(loading.session)
        loading.configuration = moved(loading.configuration)
        loading.configurationNotBefore = loading.configurationNotBefore.map { $0 + offset }
        switch watch {
        case .active(let limit): watch = .active(until: limit + offset)
        case .followUp(let limit, let reads): watch = .followUp(until: limit + offset, reads: reads)
        case .off, .finishing: break
        }
        reading.next = reading.next.map { $0 + offset }
        reading.notBefore = reading.notBefore.map { $0 + offset }
        reading.schedule.shift(by: offset)
        nextCheckpoint = nextCheckpoint.map { $0 + offset }
        refusalReadAt = nil
        attempt?.rebase(by: offset)
    }

    /// The process that knew what was under way is gone: one read, and realtime again. Nothing is sent twice by itself.
    mutating func recover(at now: Instant, _ actions: inout Actions) {
        realtime = .off
        reading.inFlight = false
        reading.isStale = false
        reading.again = false
        reading.chase = nil
        if loading.session == .inFlight { loading.session = .idle }
        if loading.configuration == .inFlight { loading.configuration = .idle }
        let before = attempt
        attempt?.recover(at: now)
        if attempt != before { actions.persist() }
        guard isLive else { return }
        actions.note("recovered")
        if isShown, isLoaded, isUndecided {
            syncProgress(&actions)
            showAttempt(&actions)
        }
        if !watch.isOff { nextCheckpoint = now + Self.checkpointInterval }
        if !isLoaded { askSession(at: now, &actions) }
        if loading.configuration != .done, result == nil { askConfiguration(at: now, &actions) }
        guard isLoaded else { return }
        if case .followUp = watch {
            // The read that was under way is lost with its process.
            return reading.next == nil ? scheduleRead(after: .zero, at: now) : ()
        }
        join(&actions)
        if closing == nil {
            read("recovered", at: now, &actions)
        } else {
            readForClosing("recovered", at: now, &actions)
        }
    }
}
