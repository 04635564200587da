/// What Pusher's error codes ask for, whether they come as a close code or in a `pusher:error` (`pusher.md`, "Codes").
enum PusherCode {
    /// 40xx.
    static let unauthorised = 4009
    /// 43xx: more messages than the server takes.
    static let tooManyMessages = 4301

    /// How to go on after a close with this code. Codes without a rule, 1006 among them, are the network's.
    static func reopening(afterClose code: Int) -> RealtimeBackoff.Reopening {
        switch code {
        case 4000...4099: .long
        case 4100...4199: .afterOneSecond
        default: .soon
        }
    }

    /// How to go on after the code came in-band, with the socket still open; nil where it is not fatal.
    ///
    /// 4200 is none: Reverb means "invalid message" by it, and Soketi, which means a shutdown, closes by itself.
    static func reopening(inBand code: Int?) -> RealtimeBackoff.Reopening? {
        switch code {
        case unauthorised?, 4200?: nil
        case (4000...4099)?: .long
        case (4100...4199)?: .afterOneSecond
        case (4201...4299)?: .soon
        default: nil
        }
    }
}
