/// What `JSONEncoder` made of the first version's machines; never edited, only added to.
enum StoredMachines {
    /// Processing on a USSD screen, after a refusal, with a read under way.
    static let live = #"""
        {"configuration":{},"isTokenErased":false,"knownRefusal":{"at":"t1","code":"insufficient_funds",\#
        "message":"No."},"loading":{"configuration":{"done":{}},"configurationMisses":0,\#
        "session":{"done":{}},"sessionMisses":0},"method":"mobile_money","nextCheckpoint":1065000000000,\#
        "options":{"cancelOnDismiss":true,"followUp":[0,0],"language":"en","realtime":{"session":{}}},\#
        "presentation":1,"reading":{"again":false,"inFlight":true,"schedule":{"failures":0,\#
        "lastChange":1005000000000,"lastWait":[0,5000000000000000000]}},"reads":1,"realtime":"connecting",\#
        "screen":{"instruction":"Dial *126#","kind":"ussd"},"session":{"channels":[{"countries":[],\#
        "family":"mobile_money","name":"Mobile Money","operators":[],"slug":"cm.mobile"}],\#
        "realtime":{"host":"ws","key":"k","name":"private-payment.ref","port":443,"tls":true},\#
        "transaction":{"amount":"15000","context":{"channelSlug":"cm.mobile","isMobileMoney":true,\#
        "payerInstruction":"Dial *126#"},"currency":"XAF","id":"txn","isPastExpiry":false,"reference":"ref",\#
        "sandbox":true,"status":"processing"}},"signals":0,"state":"USSD_REQUIRED","status":"processing",\#
        "told":"ready","watch":{"active":{"until":1900000000000}}}
        """#

    /// Closed while processing.
    static let closed = #"""
        {"configuration":{},"isTokenErased":false,"loading":{"configuration":{"done":{}},\#
        "configurationMisses":0,"session":{"done":{}},"sessionMisses":0},"method":"unknown",\#
        "nextCheckpoint":1060000000000,"options":{"cancelOnDismiss":true,"followUp":[0,0],"language":"en",\#
        "realtime":{"session":{}}},"presentation":1,"reading":{"again":false,"inFlight":false,\#
        "next":1005000000000,"schedule":{"failures":0,"lastChange":1000000000000,"lastWait":[0,\#
        5000000000000000000]}},"reads":0,"realtime":"connecting","result":{"processing":{}},\#
        "screen":{"kind":"waiting"},"session":{"channels":[{"countries":[],"family":"mobile_money",\#
        "name":"Mobile Money","operators":[],"slug":"cm.mobile"}],"realtime":{"host":"ws","key":"k",\#
        "name":"private-payment.ref","port":443,"tls":true},"transaction":{"amount":"15000",\#
        "currency":"XAF","id":"txn","isPastExpiry":false,"reference":"ref","sandbox":true,\#
        "status":"processing"}},"signals":0,"state":"PENDING","status":"processing","told":"ready",\#
        "watch":{"active":{"until":1900000000000}}}
        """#

    /// A cancel is under way.
    static let cancelling = #"""
        {"closing":{"phase":"asked","reason":"payer_cancelled"},"configuration":{},"isTokenErased":false,\#
        "loading":{"configuration":{"done":{}},"configurationMisses":0,"session":{"done":{}},\#
        "sessionMisses":0},"method":"unknown","nextCheckpoint":1060000000000,\#
        "options":{"cancelOnDismiss":true,"followUp":[0,0],"language":"en","realtime":{"session":{}}},\#
        "presentation":1,"reading":{"again":false,"inFlight":false,"next":1005000000000,\#
        "schedule":{"failures":0,"lastChange":1000000000000,"lastWait":[0,5000000000000000000]}},"reads":0,\#
        "realtime":"connecting","session":{"channels":[{"countries":[],"family":"mobile_money",\#
        "name":"Mobile Money","operators":[],"slug":"cm.mobile"}],"realtime":{"host":"ws","key":"k",\#
        "name":"private-payment.ref","port":443,"tls":true},"transaction":{"amount":"15000",\#
        "currency":"XAF","id":"txn","isPastExpiry":false,"reference":"ref","sandbox":true,\#
        "status":"pending"}},"signals":0,"state":"INITIATED","status":"pending","told":"ready",\#
        "watch":{"active":{"until":1900000000000}}}
        """#

    /// It had failed when it was handed off.
    static let failed = #"""
        {"error":{"certainty":"definite","code":"session_terminal_failed","message":"This payment failed.",\#
        "retryable":false,"type":"payment_error"},"isTokenErased":true,\#
        "loading":{"configuration":{"inFlight":{}},"configurationMisses":0,"session":{"done":{}},\#
        "sessionMisses":0},"method":"unknown","options":{"cancelOnDismiss":true,"followUp":[0,0],\#
        "language":"en","realtime":{"session":{}}},"presentation":1,"reading":{"again":false,\#
        "inFlight":false,"schedule":{"failures":0,"lastChange":1000000000000,"lastWait":[0,\#
        5000000000000000000]}},"reads":0,"realtime":"off",\#
        "result":{"failed":{"_0":{"error":{"certainty":"definite","code":"session_terminal_failed",\#
        "message":"This payment failed.","retryable":false,"type":"payment_error"}}}},\#
        "session":{"channels":[{"countries":[],"family":"mobile_money","name":"Mobile Money","operators":[],\#
        "slug":"cm.mobile"}],"realtime":{"host":"ws","key":"k","name":"private-payment.ref","port":443,\#
        "tls":true},"transaction":{"amount":"15000","currency":"XAF","id":"txn","isPastExpiry":false,\#
        "reference":"ref","sandbox":true,"status":"failed"}},"signals":0,"state":"FAILED","status":"failed",\#
        "told":"loadError","watch":{"off":{}}}
        """#

    /// No session yet, and the server asked to be left alone.
    static let loading = #"""
        {"isTokenErased":false,"lastReadError":{"api_message":"down","certainty":"indefinite",\#
        "code":"server_error","http_status":503,"message":"Wajub n'a pas pu répondre.",\#
        "retry_after_seconds":30,"retryable":true,"type":"api_error"},\#
        "loading":{"configuration":{"inFlight":{}},"configurationMisses":0,\#
        "session":{"waiting":{"until":1030000000000}},"sessionMisses":1},"method":"unknown",\#
        "nextCheckpoint":1060000000000,"options":{"cancelOnDismiss":false,"followUp":[32,\#
        9704189641294348288],"language":"fr","realtime":{"server":{"host":"h","port":443,"tls":true}}},\#
        "presentation":1,"reading":{"again":false,"inFlight":false,"schedule":{"failures":0,"lastChange":0,\#
        "lastWait":[0,5000000000000000000]}},"reads":0,"realtime":"off","signals":0,"state":"INITIATED",\#
        "status":"unknown","told":"nothing","watch":{"active":{"until":1900000000000}}}
        """#

    /// The first version that pays: a card's attempt, accepted, at a 3-D Secure step that was answered wrong once.
    static let paying = #"""
        {"attempt":{"bodyDigest":"0000000000000000000000000000000000000000000000000000000000000000","channel":"c\#
        ard","conflicts":0,"demand":{"step":{"_0":{"attemptsLeft":2,"hint":"Sent to s•••@example.com","id":"step\#
        _69c3a27688795369","kind":"3ds","openedAt":252272425737910}}},"hasOtherBodyUnanswered":false,"hasUnanswe\#
        redTry":false,"isCompleting":false,"isPayOpen":false,"isReadDue":false,"isRebooted":false,"isResending":\#
        false,"isVerifying":false,"key":"0123456789abcdef0123456789abcdef","keyMadeAt":252272373238080,"lastTryA\#
        t":252272373238080,"method":"card","number":1,"phase":"accepted","refusalsBefore":[],"request":"process"\#
        ,"retries":0,"sawProcessing":false,"startedAt":1796107828.2979264,"tries":1,"wasUnheard":false},"configu\#
        ration":{},"error":{"api_message":"This is not right.","certainty":"indefinite","code":"invalid_code","c\#
        orrelation_id":"req_90a5129e1024e775","http_status":422,"message":"This is not right. Try again.","retry\#
        able":true,"type":"invalid_request_error"},"isTokenErased":false,"loading":{"configuration":{"done":{}},\#
        "configurationMisses":0,"session":{"done":{}},"sessionMisses":0},"method":"card","nextCheckpoint":252336\#
        477220210,"options":{"cancelOnDismiss":true,"followUp":[0,0],"realtime":{"session":{}}},"presentation":1\#
        ,"progressShown":false,"reading":{"next":252277425737910,"schedule":{"failures":0,"lastChange":252272425\#
        737910,"lastWait":[0,5000000000000000000]}},"reads":1,"realtime":"connected","refusalIsKnown":true,"refu\#
        salReadAt":252272299464930,"screen":{"kind":"step"},"seenRefusals":[],"session":{"channels":[],"transact\#
        ion":{"amount":"15000","context":{"channelSlug":"card","isMobileMoney":false},"currency":"XAF","id":"txn\#
        ","isPastExpiry":false,"reference":"ref","sandbox":true,"status":"processing","updatedAt":"2026-12-01T06\#
        :50:29.317Z"}},"signals":1,"state":"3DS_REQUIRED","status":"processing","told":"ready","watch":{"active"\#
        :{"until":253172373238080}}}
        """#
}
