import Testing

@testable import Contract

@Suite("Names, statuses and offers")
struct CatalogueTests {
    @Test("The 17 states are Wajub.js's names")
    func states() {
        #expect(CheckoutState.allCases.count == 17)
        #expect(CheckoutState.threeDSRequired.rawValue == "3DS_REQUIRED")
    }

    @Test(
        "A status of the wire in any case; an unknown one counts as processing",
        arguments: [
            ("SUCCESS", PaymentStatus.succeeded), ("Successful", .succeeded), ("succeeded", .succeeded),
            ("paid", .succeeded),
            ("complete", .succeeded), ("failed", .failed), ("CANCELLED", .cancelled), ("expired", .expired),
            ("pending", .pending),
            ("processing", .processing), ("refunding", .processing), ("", .processing),
        ])
    func statuses(word: String, status: PaymentStatus) {
        #expect(PaymentStatus(wire: word) == status)
    }

    @Test(
        "A USSD code is told from other instructions",
        arguments: [
            ("Dial *126# now", true), ("*126*1*2#", true), ("Approve on your phone", false), ("5 * 3", false),
            ("**", false),
        ])
    func ussd(text: String, isCode: Bool) {
        #expect(ProcessingContext(payerInstruction: text).hasUSSDCode == isCode)
    }

    @Test("Waits without an answer: 5, 10, 20, 40, 60 s; follow-up: 1, 2, 4, 8, 16, 32, 60 minutes")
    func tables() {
        #expect((1...7).map { Backoff.wait(afterFailures: $0) } == [5, 10, 20, 40, 60, 60, 60].map { .seconds($0) })
        #expect(
            (0...8).map { FollowUpSchedule.wait(afterReads: $0) }
                == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0 * 60) })
    }
}
