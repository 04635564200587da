/// One operator that a payer can choose (seed 000, "Mobile Money": one choice per operator).
package struct OperatorChoice: Hashable, Sendable {
    /// Wajub's id of an aggregate's member; elsewhere the channel's slug without its country, `orange` of `ci.orange`.
    package let id: String
    /// As it is offered.
    package let name: String
    /// The slug of the channel that it is paid through.
    package let channel: String
    /// Whether the channel has several operators, so that it may have to be told which.
    package let isAggregateMember: Bool
    /// Takes any operator's number.
    let isOpen: Bool
    /// The networks whose numbers are its own; empty where the name says nothing.
    let networks: Set<String>

    private init(id: String, name: String, channel: String, isAggregateMember: Bool) {
        self.id = id
        self.name = name
        self.channel = channel
        self.isAggregateMember = isAggregateMember
        isOpen = Network.isOpen(id) || Network.isOpen(name)
        let byID = Network.all(named: id)
        networks = isOpen ? [] : byID.isEmpty ? Network.all(named: name) : byID
    }

    /// The choices of the Mobile Money channels that cover a country, in Wajub's order.
    package static func offered(by channels: [Channel], in country: String) -> [OperatorChoice] {
        channels.filter { $0.family == .mobileMoney && $0.covers(country) }.flatMap { channel in
            guard !channel.operators.isEmpty else {
                let parts = channel.slug.split(separator: ".", maxSplits: 1)
                return [
                    OperatorChoice(
                        id: String(parts.last ?? ""), name: channel.name, channel: channel.slug,
                        isAggregateMember: false)
                ]
            }
            return channel.operators.map {
                OperatorChoice(id: $0.id, name: $0.name, channel: channel.slug, isAggregateMember: true)
            }
        }
    }

    /// The choice that a till names: by its id, else by another name of the same network, `mtn` for `momo`.
    static func pick(_ name: String, from choices: [OperatorChoice]) -> OperatorChoice? {
        let named = Network.all(named: name)
        return choices.first { $0.id.lowercased() == name.lowercased() }
            ?? choices.first { !$0.networks.isDisjoint(with: named) }
    }
}

extension Channel {
    /// Whether payers of a country can use it.
    func covers(_ country: String) -> Bool {
        coveredCountries.contains(country)
    }

    /// In Wajub's order, in capitals. A channel that lists none is of the one that its slug begins with: `cm.mobile`.
    var coveredCountries: [String] {
        if !countries.isEmpty { return countries }
        return slug.split(separator: ".").first.map { [$0.uppercased()] } ?? []
    }
}
