/// Where the payment is for the payer: Wajub.js's 17 `CheckoutState` names (seed 001, "Callbacks and states").
///
/// `success`, `expired` and `cancelled` are final; `failed` may be tried again (seed 000, "States").
package enum CheckoutState: String, ContractName {
    case initiated = "INITIATED"
    case collectingDetails = "COLLECTING_DETAILS"
    case processing = "PROCESSING"
    case approvalRequired = "APPROVAL_REQUIRED"
    case ussdRequired = "USSD_REQUIRED"
    case otpRequired = "OTP_REQUIRED"
    case pinRequired = "PIN_REQUIRED"
    case phoneRequired = "PHONE_REQUIRED"
    case birthdayRequired = "BIRTHDAY_REQUIRED"
    case addressRequired = "ADDRESS_REQUIRED"
    case threeDSRequired = "3DS_REQUIRED"
    case verifying = "VERIFYING"
    case pending = "PENDING"
    case success = "SUCCESS"
    case failed = "FAILED"
    case expired = "EXPIRED"
    case cancelled = "CANCELLED"

    package var meaning: String {
        switch self {
        case .initiated: "The payment is loading, or offers its methods."
        case .collectingDetails: "A method's form is open."
        case .processing: "A payment request is being sent."
        case .approvalRequired: "The payer approves on their phone."
        case .ussdRequired: "The payer dials a USSD code."
        case .otpRequired: "The payer enters a one-time code."
        case .pinRequired: "The payer enters a PIN."
        case .phoneRequired: "The payer enters a phone number."
        case .birthdayRequired: "The payer enters a birthday."
        case .addressRequired: "The payer enters an address."
        case .threeDSRequired: "The payer passes a 3-D Secure check."
        case .verifying: "An answer to a confirmation step is being checked."
        case .pending: "Payment in progress: the outcome is not known yet."
        case .success: "Paid. Final."
        case .failed: "Refused or ended; another try is possible while the payment is pending."
        case .expired: "The payment expired. Final."
        case .cancelled: "The payment was cancelled. Final."
        }
    }
}
