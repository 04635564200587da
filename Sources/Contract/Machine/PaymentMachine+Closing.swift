/// A cancel on its way, and what to do with its answer.
package struct Closing: Hashable, Codable, Sendable {
    package enum Phase: String, Hashable, Codable, Sendable {
        /// POST /pay/cancel is under way.
        case asked
        /// Wajub refused it, or its answer was lost in a restart: a read decides.
        case reading
    }

    package var reason: CancelReason
    package var phase: Phase
}

extension PaymentMachine {
    /// Why a close or a cancel cannot be done now; nil if it can (`protocol.md`, "Methods": the first that applies).
    package func refusalToCancel() -> ErrorCode? {
        if let refusal = refusalToClose() { return refusal }
        if !isLoaded { return .notReady }
        return mayBeCharging ? .attemptUndecided : nil
    }

    /// A close is possible at any time before the result.
    package func refusalToClose() -> ErrorCode? {
        result == nil ? nil : .paymentEnded
    }

    /// Whether a cancel would be taken now.
    package var canCancel: Bool { refusalToCancel() == nil && closing == nil && status == .pending }

    mutating func cancel(at now: Instant, _ actions: inout Actions) {
        guard canCancel else { return }
        askToCancel(.payerCancelled, &actions)
    }

    /// Closes as the sheet would (seed 000, "Cancelling and closing" and "Results").
    mutating func close(for reason: CloseReason, at now: Instant, _ actions: inout Actions) {
        guard result == nil, closing == nil else { return }
        actions.note("close asked", ["reason": reason.rawValue])
        if mayBeCharging {
            // The watch goes on to its limit and tells `status`.
            settle(.processing, at: now, &actions)
        } else if canCancel, reason == .dismissed, options.cancelOnDismiss {
            askToCancel(.dismissed, &actions)
        } else {
            // While it loads nothing is sent; `host_gone` never cancels; a kept-open payment can be presented again.
            settle(.cancelled(reason.cancelReason), at: now, &actions)
            stopWatching(at: now, &actions)
        }
    }

    private mutating func askToCancel(_ reason: CancelReason, _ actions: inout Actions) {
        closing = Closing(reason: reason, phase: .asked)
        actions.persist()
        actions.note("cancel asked", ["reason": reason.rawValue])
        actions.add(.send(.cancel))
    }

    /// Cancelled for good.
    mutating func cancelAnswered(at now: Instant, _ actions: inout Actions) {
        guard let closing, closing.phase == .asked, result == nil else {
            // The watch's limit was faster.
            return result == nil ? () : learn(.cancelled, at: now, &actions)
        }
        status = .cancelled
        actions.note("cancel answered")
        show(.cancelled, method: method, screen: nil, &actions)
        settle(.cancelled(closing.reason), at: now, &actions)
    }

    mutating func cancelMissed(_ failure: CallFailure, at now: Instant, _ actions: inout Actions) {
        leaveAlone(for: failure.retryAfter, at: now)
        guard let closing, closing.phase == .asked, result == nil else { return }
        actions.note("cancel missed", failure.evidence)
        if failure.isRefusal {
            error = failure.error(in: language)
            actions.persist()
            readForClosing("cancel refused", at: now, &actions)
        } else {
            // A cancel call that fails changes nothing for the payer. Whether it arrived, the watch finds out.
            settle(mayBeCharging ? .processing : .cancelled(closing.reason), at: now, &actions)
            read("cancel unanswered", at: now, &actions)
        }
    }

    /// Lets a read decide the closing; a status that Retry-After keeps from being read is one that cannot be read.
    mutating func readForClosing(_ reason: String, at now: Instant, _ actions: inout Actions) {
        closing?.phase = .reading
        read(reason, at: now, &actions)
        if !reading.inFlight { settle(.processing, at: now, &actions) }
    }

    /// Resolves a refused cancel with what the read said; an outcome has settled it already.
    mutating func decideClosing(at now: Instant, _ actions: inout Actions) {
        guard let closing, closing.phase == .reading, result == nil, !reading.again else { return }
        settle(mayBeCharging ? .processing : .cancelled(closing.reason), at: now, &actions)
    }
}

extension CallFailure {
    /// Whether it is an answer of Wajub: any 4xx, a 429 too (`wire.md`, POST /pay/cancel).
    var isRefusal: Bool {
        switch self {
        case .refused: true
        case .unanswered(let unanswered): unanswered.kind == .rateLimited
        }
    }
}
