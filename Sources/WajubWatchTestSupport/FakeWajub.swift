package import Contract
package import Platform
internal import Synchronization
package import WajubWatch

/// A Wajub of one test: answers what it was told to, holds what it was told to hold, and tells of each call.
package final class FakeWajub: WajubAPI, Realtime {
    private struct State {
        var transaction = Transaction(
            id: "txn_1", reference: "ref-1", amount: "15000", currency: "XAF", status: .pending)
        var channels = [
            Channel(slug: "cm.mobile", name: "Mobile Money", family: .mobileMoney, countries: ["CM"])
        ]
        var refusal: Refusal?
        var misses: [WajubCall: CallFailure] = [:]
        var answer: PayAnswer?
        var posts: [Post] = []
        var held: Set<WajubCall> = []
        var holding: [(WajubCall, CheckedContinuation<Void, Never>)] = []
        var news: [UInt64: @Sendable (RealtimeNews) -> Void] = [:]
        var nextMembership: UInt64 = 0
        var calls: [WajubCall] = []
        var callWatcher: CheckedContinuation<Void, Never>?
    }

    /// A request that paid or confirmed, as it reached Wajub.
    package struct Post: Hashable, Sendable {
        package var call: WajubCall
        package var key: IdempotencyKey?
        package var body: Secret?
        package var fields: StepFields?
        package var id: String?
    }

    private let state = Mutex(State())
    /// The channel of every session.
    package let channel = RealtimeChannel(
        host: "localhost", port: 1, tls: false, key: "k", name: "private-payment.ref-1")

    /// What Wajub says from now on.
    package func set(_ status: PaymentStatus, refusal: Refusal? = nil) {
        state.withLock { state in
            state.transaction.status = status
            state.refusal = refusal ?? state.refusal
        }
    }

    /// What every request that pays or confirms is answered with from now on; nil: the payment as it is.
    package func answer(with action: PayAnswer.Action?) {
        state.withLock { $0.answer = action.map { PayAnswer(transaction: nil, action: $0) } }
    }

    /// Every request that paid or confirmed, in the order in which they reached Wajub.
    package var posts: [Post] { state.withLock { $0.posts } }

    /// Answers a call with a failure from now on; nil: no more.
    package func miss(_ call: WajubCall, _ failure: CallFailure?) {
        state.withLock { $0.misses[call] = failure }
    }

    /// Answers a call no more until ``release(_:)``.
    package func hold(_ call: WajubCall) {
        state.withLock { _ = $0.held.insert(call) }
    }

    /// Answers what was held.
    package func release(_ call: WajubCall) {
        let released = state.withLock { state in
            state.held.remove(call)
            let released = state.holding.filter { $0.0 == call }
            state.holding.removeAll { $0.0 == call }
            return released
        }
        released.forEach { $0.1.resume() }
    }

    /// The next call that reaches Wajub, in order. One caller at a time.
    package func nextCall() async -> WajubCall {
        while true {
            if let call = state.withLock({ $0.calls.isEmpty ? nil : $0.calls.removeFirst() }) { return call }
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state in
                    if state.calls.isEmpty { state.callWatcher = continuation }
                    return !state.calls.isEmpty
                }
                if isThere { continuation.resume() }
            }
        }
    }

    /// Waits for a call of this kind, letting others pass.
    package func called(_ call: WajubCall) async {
        while await nextCall() != call {}
    }

    /// What sessions offer from now on.
    package func offer(_ channels: [Channel], sandbox: Bool = false) {
        state.withLock { state in
            state.channels = channels
            state.transaction.sandbox = sandbox
        }
    }

    /// Tells every payment in a channel.
    package func tell(_ news: RealtimeNews) {
        let handlers = state.withLock { $0.news.values.map { $0 } }
        handlers.forEach { $0(news) }
    }

    /// How many payments are in a channel.
    package var members: Int { state.withLock { $0.news.count } }

    private func take(_ call: WajubCall) async -> CallFailure? {
        let watcher = state.withLock { state in
            state.calls.append(call)
            defer { state.callWatcher = nil }
            return state.callWatcher
        }
        watcher?.resume()
        if state.withLock({ $0.held.contains(call) }) {
            await withCheckedContinuation { continuation in
                let isHeld = state.withLock { state in
                    guard state.held.contains(call) else { return false }
                    state.holding.append((call, continuation))
                    return true
                }
                if !isHeld { continuation.resume() }
            }
        }
        return state.withLock { $0.misses[call] }
    }

    package func session(token: Secret) async -> Result<Session, CallFailure> {
        if let failure = await take(.session) { return .failure(failure) }
        let (transaction, channels) = state.withLock { ($0.transaction, $0.channels) }
        return .success(Session(transaction: transaction, channels: channels, realtime: channel))
    }

    package func configuration(token: Secret) async -> Result<SDKConfiguration, CallFailure> {
        if let failure = await take(.configuration) { return .failure(failure) }
        return .success([:])
    }

    package func status(token: Secret) async -> Result<StatusReading, CallFailure> {
        if let failure = await take(.status) { return .failure(failure) }
        return state.withLock { .success(StatusReading(transaction: $0.transaction, lastFailure: $0.refusal)) }
    }

    package func cancel(token: Secret) async -> Result<Void, CallFailure> {
        if let failure = await take(.cancel) { return .failure(failure) }
        state.withLock { $0.transaction.status = .cancelled }
        return .success(())
    }

    package func process(_ body: Secret, key: IdempotencyKey, token: Secret) async -> Result<PayAnswer, CallFailure> {
        await post(Post(call: .process, key: key, body: body))
    }

    package func startClientSession(_ body: Secret, token: Secret) async -> Result<PayAnswer, CallFailure> {
        await post(Post(call: .clientSession, body: body))
    }

    package func completeClientSession(id: String, token: Secret) async -> Result<PayAnswer, CallFailure> {
        await post(Post(call: .completion, id: id))
    }

    package func verify(
        _ kind: Step.Kind, id: String, fields: StepFields, token: Secret
    ) async -> Result<PayAnswer, CallFailure> {
        await post(Post(call: .verify, fields: fields, id: id))
    }

    package func resend(_ kind: Step.Kind, id: String, token: Secret) async -> Result<Step?, CallFailure> {
        await post(Post(call: .resend, id: id)).map { _ in nil }
    }

    private func post(_ post: Post) async -> Result<PayAnswer, CallFailure> {
        state.withLock { $0.posts.append(post) }
        if let failure = await take(post.call) { return .failure(failure) }
        return state.withLock { .success($0.answer ?? PayAnswer(transaction: $0.transaction)) }
    }

    package func join(_ channel: RealtimeChannel, token: Secret, onEvent: @escaping @Sendable (RealtimeNews) -> Void)
        -> RealtimeMembership
    {
        state.withLock { state in
            state.nextMembership += 1
            state.news[state.nextMembership] = onEvent
            return RealtimeMembership(id: state.nextMembership)
        }
    }

    package func leave(_ membership: RealtimeMembership) {
        _ = state.withLock { $0.news.removeValue(forKey: membership.id) }
    }
}
