/// What happened to a payment: the machine's input.
///
/// Indirect, since each frame of a task that it passes through would keep a copy of the largest case.
package indirect enum PaymentEvent: Hashable, Sendable {
    /// The till handed the token off, and the hand-off is about to be made durable.
    case handedOff
    /// The till handed the same token off again after a result that is not final.
    case presentedAgain(PaymentOptions)
    /// The daemon starts and finds this payment in its store.
    case recovered

    case sessionAnswered(Session)
    case sessionMissed(CallFailure)
    case configurationAnswered(SDKConfiguration)
    case configurationMissed(CallFailure)
    case readAnswered(StatusReading)
    case readMissed(CallFailure)
    case payAnswered(attempt: Int, PayAnswer)
    case payMissed(attempt: Int, CallFailure)
    case stepAnswered(PayAnswer)
    case stepMissed(CallFailure)
    /// A new code is on its way; the step where the answer tells it anew.
    case resendAnswered(Step?)
    case resendMissed(CallFailure)
    case completionAnswered(PayAnswer)
    case completionMissed(CallFailure)
    case cancelAnswered
    case cancelMissed(CallFailure)

    /// A realtime message said this status.
    case signalled(PaymentStatus)
    case realtimeChanged(RealtimeState)

    /// Somebody asks for a live read.
    case refreshRequested
    case closeRequested(CloseReason)
    case cancelRequested
    /// Pay was pressed. The body stays with the driver.
    case payRequested(Press)
    /// The payer answered the pending step. The fields stay with the driver.
    case verifyRequested
    case resendRequested
    /// The payer is back from a provider's page.
    case returned

    /// The moment of ``PaymentMachine/nextWake`` has come.
    case timerFired
}

extension PaymentEvent {
    /// A call that missed.
    ///
    /// - parameter attempt: whose it was, for a request that pays.
    package static func missed(_ call: WajubCall, attempt: Int, _ failure: CallFailure) -> PaymentEvent {
        switch call {
        case .session: .sessionMissed(failure)
        case .configuration: .configurationMissed(failure)
        case .status: .readMissed(failure)
        case .cancel: .cancelMissed(failure)
        case .process, .clientSession: .payMissed(attempt: attempt, failure)
        case .verify: .stepMissed(failure)
        case .resend: .resendMissed(failure)
        case .completion: .completionMissed(failure)
        }
    }
}

/// What the machine wants done: its output, carried out in order. What is to be persisted, emitted and erased in one answer is
/// one transaction.
package enum PaymentAction: Hashable, Sendable {
    /// Make the machine durable, with all that this answer emits and notes, before anything after it is carried out.
    case persist
    /// Tell the till.
    case emit(PaymentNews)
    /// Keep a line for `payment.explain`.
    case note(PaymentNote)
    /// Call Wajub; the answer comes back as an event.
    case send(WajubCall)
    /// Join the payment's realtime channel.
    case connect(RealtimeChannel)
    /// Leave it.
    case disconnect
    /// Forget the token, on disk as well: nothing needs it any more.
    case eraseToken
}

/// A call to Wajub's session API. What it says beyond the token is in the machine (key, step, client session) or, where it is the
/// payer's, with the driver (bodies, codes).
package enum WajubCall: String, Hashable, Codable, Sendable, CaseIterable {
    case session, configuration, status, cancel
    /// POST /pay/process, under the attempt's key.
    case process
    /// POST /pay/client-session.
    case clientSession = "client_session"
    /// POST /pay/client-session/complete.
    case completion
    /// POST /pay/verify/{kind}.
    case verify
    /// POST /pay/verify/resend.
    case resend
}

/// The state of a payment's realtime channel; `connected` means subscribed (`pusher.md`).
package enum RealtimeState: String, Hashable, Codable, Sendable, CaseIterable {
    case connected, connecting, off
}

/// An event for the till, before it has a `seq` (`protocol.md`, "Events").
package enum PaymentNews: Hashable, Sendable {
    case accepted
    case ready(Environment, [MethodOffer])
    case loadError(WajubError)
    case state(CheckoutState, MethodFamily)
    case paymentStarted(MethodFamily, channel: String, attempt: Int)
    /// A page for the payer.
    case redirect(String)
    case progress(Bool)
    /// - parameter resendIn: how long until a new code can be asked for.
    case step(Step, resendIn: Duration)
    case success(PaymentSuccess)
    case error(WajubError)
    case cancel(CancelReason)
    case complete(CheckoutResult)
    case status(PaymentStatus)

    package var kind: EventKind {
        switch self {
        case .accepted: .accepted
        case .ready: .ready
        case .loadError: .loadError
        case .state: .state
        case .paymentStarted: .paymentStarted
        case .redirect: .redirect
        case .progress: .progress
        case .step: .step
        case .success: .success
        case .error: .error
        case .cancel: .cancel
        case .complete: .complete
        case .status: .status
        }
    }
}

/// A line of `payment.explain`: what happened or was decided, and on what evidence. Never a secret.
package struct PaymentNote: Hashable, Sendable {
    /// A constant phrase.
    package var what: String
    /// Evidence by name.
    package var detail: [String: String]

    package init(_ what: String, _ detail: [String: String?] = [:]) {
        self.what = what
        self.detail = detail.compactMapValues(\.self)
    }
}
