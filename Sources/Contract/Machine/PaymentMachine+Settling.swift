extension PaymentMachine {
    /// Shows a state; told only where something changed, and never after the result.
    mutating func show(
        _ state: CheckoutState, method: MethodFamily, screen: Screen?, always: Bool = false, _ actions: inout Actions
    ) {
        let changed = always || state != self.state || method != self.method
        if screen != self.screen { actions.persist() }
        (self.state, self.method, self.screen) = (state, method, screen)
        if changed, result == nil { actions.emit(.state(state, method)) }
    }

    /// Resolves the presentation, once: `complete` is its last event (seed 000, "Callbacks" and "Results").
    mutating func settle(_ result: CheckoutResult, at now: Instant, _ actions: inout Actions) {
        guard self.result == nil else { return }
        decideAttempt()
        hideProgress(&actions)
        if case .cancelled(let reason) = result { actions.emit(.cancel(reason)) }
        self.result = result
        closing = nil
        actions.emit(.complete(result))
        if status.isFinal {
            endWatch(&actions)
            eraseToken(&actions)
        }
    }

    mutating func eraseToken(_ actions: inout Actions) {
        isTokenErased = true
        actions.persist()
        actions.add(.eraseToken)
    }
}

extension CallFailure {
    /// What `payment.explain` shows of it.
    var evidence: [String: String?] {
        switch self {
        case .refused(let refusal):
            [
                "code": refusal.code.rawValue, "http_status": "\(refusal.httpStatus)",
                "correlation_id": refusal.correlationID,
            ]
        case .unanswered(let unanswered):
            [
                "kind": unanswered.kind.rawValue, "reason": unanswered.reason,
                "http_status": unanswered.httpStatus.map(String.init), "correlation_id": unanswered.correlationID,
            ]
        }
    }
}
