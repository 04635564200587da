internal import Arguments

/// What `wajub-sandbox --help` and `GET /` say.
enum SandboxHelp {
    static let text =
        SandboxOptions.parser.help(
            usage: "wajub-sandbox [--port N] [--ws-port N] [--speed N] [--seed N] [--tls CERT KEY]",
            summary: """
                Wajub's API and a Pusher server on 127.0.0.1, with test money and faults on request. Prints \
                {"api_origin":…,"realtime":…} once it listens; SIGTERM or SIGINT ends it.
                """) + endpoints

    private static let endpoints = """

        Merchant (Authorization: Bearer sk_test…)
          POST /payments             amount, currency, reference?, description?, callback?, locale?, customer?
            in the sandbox alone     channels? [slug], card_sdk? form|stripe_elements|hosted_redirect|
                                     adyen_custom_card|client_session, card_step? otp|pin|phone|birthday|address|3ds,
                                     status?, echo? (true), expires_in_seconds? (1800), settle_after_seconds?,
                                     refuse_parallel_attempts? (true)
          GET|DELETE /payments/{id}  with charges, attempts, idempotency_keys, last_failure

        Client (Authorization: Bearer <authorization_token>): /pay/session, /pay/sdk-config, /pay/process,
          /pay/status, /pay/cancel, /pay/client-session[/complete], /pay/verify/{step}, /pay/verify/resend,
          /pay/broadcasting/auth; realtime at /app/<key> on the other port

        Test numbers   operator prefix, seven digits: …000000 succeeds, …000001 insufficient funds, …000002 fails,
                       …000003 times out, …000004 is cancelled; +237670000000 and +2250700000000, for instance
        Test cards     4242424242424242 succeeds, 4000056655665556 asks for the 3-D Secure code,
                       4000000000000002 is declined, 4000000000009995 has insufficient funds
        Right answers  code 123456, pin 1234, phone with +, birthday in 1990, a whole address

        Control
          POST /sandbox/payments/{id}/status  {"status", "push"? (true), "code"?, "message"?} as a provider would
          POST /sandbox/faults    {"match"? {"path"?, "method"?, "payment"?}, "times"?, "phase"? before|after,
                                  "fault": {"drop", "silence", "delay_seconds", "status" with "error_code"? "message"? "errors"?
                                  "body"? "retry_after"?, "html", "truncate", "wrong" (merge patch), "headers"}}
                                  the first fault that matches counts; phase after: Wajub saw the request
          GET|DELETE /sandbox/faults[/{id}]   clearing all also closes the silent connections
          POST /sandbox/release   late requests arrive and late answers leave at once, silent connections close
          GET /sandbox/log        ?after=N&path=&payment=&wait_seconds=S: every request; waits until one matches.
                                  Each with idempotency_key, headers (never a credential), body_digest (equal for equal
                                  bodies), the device of a payment request, and status (null: no answer)
          GET /sandbox/realtime   ?subscriptions=N&wait_seconds=S: connections, channels, counts, behaviour
          POST /sandbox/realtime  {"action": close (code) | error (code) | drop | silence | send (event, data) |
                                  behave | reset, "payment"?}; behave: establish accept|never|error|close|refuse|stall,
                                  establish_code, establish_times, subscriptions accept|subscription_error|error_4009|
                                  internal_error|ignore, subscription_times, activity_timeout, pongs, silent,
                                  broadcasts, duplicates, data_as_object, event_name
        """
}
