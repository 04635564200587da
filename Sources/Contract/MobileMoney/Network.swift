/// The operators behind the names that Mobile Money goes by.
///
/// Wajub names an operator by its id or by its channel's slug, people by its wallet (`M-Pesa`, `Flooz`), and the numbering
/// plan knows networks only: Vodacom, Moov.
enum Network {
    /// Wallets that any operator's number can have: a number is never another operator's there (seed 000, "Mobile Money").
    private static let open: Set = ["wave", "expressunion", "eumobile", "djamo", "capitec", "opay", "palmpay"]

    /// Names that are not the network's own, and the networks they may stand for: which one, the country decides.
    private static let aliases: [String: Set<String>] = [
        "airteltigo": ["at", "airtel"], "atmoney": ["at"], "ecocash": ["econet", "leo"], "emola": ["movitel"],
        "evcplus": ["hormuud"], "flooz": ["moov"], "free": ["yas"], "halopesa": ["halotel"], "lonestar": ["mtn"],
        "malitel": ["moov"], "mcel": ["tmcel"], "mixx": ["yas"], "mkesh": ["tmcel"], "momo": ["mtn"],
        "mobicash": ["moov", "maroctelecom"], "mpamba": ["tnm"], "mpesa": ["safaricom", "vodacom"], "mvola": ["yas"],
        "onemoney": ["netone"], "sahal": ["golis"], "telebirr": ["ethiotelecom"], "telma": ["yas"],
        "tigo": ["yas", "at"], "tigopesa": ["yas"], "tmoney": ["yas"], "togocel": ["yas"], "togocom": ["yas"],
        "vodafone": ["vodafone", "telecel"], "vodafonecash": ["vodafone", "telecel"], "zaad": ["telesom"],
    ]

    /// The names that are more than an id with a capital.
    private static let names = [
        "at": "AT", "btc": "BTC", "cellc": "Cell C", "cvmovel": "CVMóvel", "eswatinimobile": "Eswatini Mobile",
        "ethiotelecom": "Ethio Telecom", "maroctelecom": "Maroc Telecom", "mtc": "MTC", "mtn": "MTN",
        "netone": "NetOne", "qcell": "QCell", "tnm": "TNM", "tunisietelecom": "Tunisie Telecom", "we": "WE",
    ]

    private static let known = Set(NumberingPlan.all.flatMap { $0.networks.map(\.id) })

    /// A network's name for people.
    static func name(of network: String) -> String {
        names[network] ?? network.prefix(1).uppercased() + network.dropFirst()
    }

    /// The networks that an operator's id or name may stand for; empty where it says nothing, as `mobile` does.
    static func all(named text: String) -> Set<String> {
        for word in words(of: text) {
            if let found = aliases[word] { return found }
            if known.contains(word) { return [word] }
        }
        return []
    }

    /// Whether the wallet of this id or name takes every operator's numbers.
    static func isOpen(_ text: String) -> Bool {
        words(of: text).contains(where: open.contains)
    }

    /// What an id or a name is made of, in small letters. Pairs come first: `m-pesa` and `Express Union` are one name each.
    private static func words(of text: String) -> [String] {
        let singles = text.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.map(String.init)
        let pairs = zip(singles, singles.dropFirst()).map { $0 + $1 }
        return pairs + singles
    }
}
