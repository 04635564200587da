internal import Contract
internal import FoundationEssentials
internal import Platform
internal import WajubWatch

/// The payment as the protocol shows it (`protocol.md`, "The payment object").
struct PaymentObject: Encodable {
    struct Watch: Encodable {
        let active: Bool
        let realtime: RealtimeState
        let next_read_in_seconds: Double?
        let ends_in_seconds: Double?
        let reads: Int
        let signals: Int
    }

    struct ScreenObject: Encodable {
        let kind: Screen.Kind
        let instruction: String?
        let action_url: String?
        let phone_masked: String?
        let step: StepObject?
    }

    struct AttemptObject: Encodable {
        let number: Int
        let method: MethodFamily
        let channel: String
        let phase: Attempt.Phase
        let undecided: Bool
        let tries: Int
        let started_at: String
    }

    let id: String
    let reference: String?
    let wajub_id: String?
    let wajub_reference: String?
    let environment: Contract.Environment?
    let amount: String?
    let currency: String?
    let state: CheckoutState
    let method: MethodFamily
    let status: PaymentStatus
    let screen: ScreenObject?
    let attempt: AttemptObject?
    let watch: Watch
    let advice: Advice
    let error: WajubError?
    let last_read_error: WajubError?
    let result: ResultObject?
    let presentation: Int
    let seq: Int64
    let created_at: String
    let updated_at: String

    init(_ snapshot: PaymentSnapshot, at time: any TimeSource) {
        let now = time.now
        let machine = snapshot.machine
        let transaction = machine.session?.transaction
        id = snapshot.id
        reference = snapshot.reference
        wajub_id = transaction?.id
        wajub_reference = transaction?.reference
        environment = transaction == nil ? nil : machine.environment
        amount = transaction?.amount
        currency = transaction?.currency
        state = machine.state
        method = machine.method
        status = machine.status
        screen = machine.screen.map {
            ScreenObject(
                kind: $0.kind, instruction: $0.instruction, action_url: $0.actionURL, phone_masked: $0.phoneMasked,
                step: $0.kind == .step ? StepObject(machine.attempt, now: now) : nil)
        }
        attempt = machine.attempt.map(AttemptObject.init)
        watch = Watch(machine, now: now)
        advice = machine.advice(at: time.now, wallTime: time.wallNow.timeIntervalSince1970)
        error = machine.error
        last_read_error = machine.lastReadError
        result = machine.result.map {
            ResultObject($0, at: JSONText.time(snapshot.settledAt ?? snapshot.updatedAt))
        }
        presentation = machine.presentation
        seq = snapshot.lastSeq
        created_at = JSONText.time(snapshot.createdAt)
        updated_at = JSONText.time(snapshot.updatedAt)
    }
}

extension PaymentObject.AttemptObject {
    init(_ attempt: Attempt) {
        self.init(
            number: attempt.number, method: attempt.method, channel: attempt.channel, phase: attempt.phase,
            undecided: attempt.isUndecided, tries: attempt.tries,
            started_at: JSONText.time(Date(timeIntervalSince1970: attempt.startedAt)))
    }
}

extension StepObject {
    /// The step that an attempt is at; nil: none.
    fileprivate init?(_ attempt: Attempt?, now: Instant) {
        guard case .step(let step) = attempt?.demand else { return nil }
        self.init(step, resendIn: step.resendWait(at: now))
    }
}

extension PaymentObject.Watch {
    init(_ machine: PaymentMachine, now: Instant) {
        active = !machine.watch.isOff
        realtime = machine.realtime
        next_read_in_seconds = machine.nextRead.map { max(($0 - now).inSeconds, 0) }
        switch machine.watch {
        case .active(let limit), .followUp(let limit, _): ends_in_seconds = max((limit - now).inSeconds, 0)
        case .off, .finishing: ends_in_seconds = nil
        }
        reads = machine.reads
        signals = machine.signals
    }
}
