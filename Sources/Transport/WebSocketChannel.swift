internal import Synchronization

/// What passes between a ``WebSocketConnection`` and the engine's thread: two bounded queues under one lock.
final class WebSocketChannel: Sendable {
    enum Order: Sendable {
        case text(String)
        case ping
        case close(code: Int, reason: String)
        case drop
    }

    /// Inbound bytes from which on the socket is not read.
    static let maxInboundBytes = 1 << 20
    /// Outbound bytes that may wait, here and in the session each.
    static let maxOutboundBytes = 1 << 18
    /// What an event or an order costs beside its text.
    private static let overhead = 64

    private struct State {
        var batches: [[WebSocketEvent]] = []
        var inboundBytes = 0
        var finished = false
        var consumer: CheckedContinuation<[WebSocketEvent]?, Never>?
        var orders: [Order] = []
        var outboundBytes = 0
        /// The engine has been told to look here and has not done so yet.
        var notified = false
    }

    private let id: UInt64
    private let inbox: Inbox
    private let state = Mutex(State())

    init(id: UInt64, inbox: Inbox) {
        self.id = id
        self.inbox = inbox
    }

    // MARK: The connection's side

    func request(_ order: Order) {
        let tell = state.withLock { state in
            guard !state.finished else { return false }
            state.outboundBytes += Self.cost(order)
            if case .drop = order {
                state.orders = [.drop]
            } else if state.outboundBytes > Self.maxOutboundBytes {
                state.orders = [.drop]
            } else {
                state.orders.append(order)
            }
            return Self.notify(&state)
        }
        if tell { inbox.submit(.serve(id)) }
    }

    /// The next batch; nil at the end, or when the task is cancelled.
    func next() async -> [WebSocketEvent]? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (answer, tell): ([WebSocketEvent]??, Bool) = state.withLock { state in
                    precondition(state.consumer == nil, "two consumers of one WebSocket")
                    if !state.batches.isEmpty {
                        let wasFull = state.inboundBytes >= Self.maxInboundBytes
                        let batch = state.batches.removeFirst()
                        state.inboundBytes -= Self.cost(batch)
                        let resumes = wasFull && state.inboundBytes < Self.maxInboundBytes
                        return (.some(batch), resumes && Self.notify(&state))
                    }
                    // Checked under the lock that the handler takes as well: a cancel comes before this, or finds the consumer.
                    if state.finished || Task.isCancelled { return (.some(nil), false) }
                    state.consumer = continuation
                    return (nil, false)
                }
                if tell { inbox.submit(.serve(id)) }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            state.withLock { $0.consumer.take() }?.resume(returning: nil)
        }
    }

    // MARK: The engine's side

    /// Whether the socket is not to be read.
    var isFull: Bool { state.withLock { $0.inboundBytes >= Self.maxInboundBytes } }

    func deliver(_ batch: [WebSocketEvent]) {
        guard !batch.isEmpty else { return }
        let consumer = state.withLock { state in
            guard let consumer = state.consumer.take() else {
                state.batches.append(batch)
                state.inboundBytes += Self.cost(batch)
                return nil as CheckedContinuation<[WebSocketEvent]?, Never>?
            }
            return consumer
        }
        consumer?.resume(returning: batch)
    }

    /// Ends the sequence after what was delivered.
    func finish() {
        let consumer = state.withLock { state in
            state.finished = true
            state.orders = []
            return state.consumer.take()
        }
        consumer?.resume(returning: nil)
    }

    func takeOrders() -> [Order] {
        state.withLock { state in
            defer {
                state.orders = []
                state.outboundBytes = 0
                state.notified = false
            }
            return state.orders
        }
    }

    private static func notify(_ state: inout State) -> Bool {
        defer { state.notified = true }
        return !state.notified
    }

    private static func cost(_ batch: [WebSocketEvent]) -> Int {
        batch.reduce(0) { sum, event in
            switch event {
            case .text(let text): sum + text.utf8.count + overhead
            case .frame, .closed: sum + overhead
            }
        }
    }

    private static func cost(_ order: Order) -> Int {
        switch order {
        case .text(let text): text.utf8.count + overhead
        case .ping, .close, .drop: overhead
        }
    }
}
