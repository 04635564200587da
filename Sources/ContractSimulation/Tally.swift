internal import Contract

/// What lives saw, counted: those that never pay, or never crash, prove little.
package struct Tally: Sendable {
    package internal(set) var lives = 0
    package internal(set) var steps = 0
    package internal(set) var kills = 0
    package internal(set) var presentations = 0
    package internal(set) var presses = 0
    /// Requests that pay, their retries included.
    package internal(set) var posts = 0
    package internal(set) var attempts = 0
    package internal(set) var refused = 0
    package internal(set) var charges = 0
    package internal(set) var followUps = 0
    /// By result, and by what an attempt became.
    package internal(set) var results: [String: Int] = [:]
    package internal(set) var phases: [String: Int] = [:]

    package init() {}

    mutating func add(_ machine: PaymentMachine?, _ book: Book, _ wajub: WajubModel) {
        presentations = machine?.presentation ?? 1
        attempts = machine?.attempt?.number ?? 0
        refused = book.refused.count
        charges = wajub.ownCharges
        for result in book.results.values { results[result.status.rawValue, default: 0] += 1 }
        if case .followUp = machine?.watch { followUps += 1 }
    }

    mutating func add(_ other: Tally) {
        lives += other.lives
        steps += other.steps
        kills += other.kills
        presentations += other.presentations
        presses += other.presses
        posts += other.posts
        attempts += other.attempts
        refused += other.refused
        charges += other.charges
        followUps += other.followUps
        results.merge(other.results, uniquingKeysWith: +)
        phases.merge(other.phases, uniquingKeysWith: +)
    }
}

extension Tally: CustomStringConvertible {
    package var description: String {
        func listed(_ counts: [String: Int]) -> String {
            counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        }
        return """
            \(lives) lives, \(steps) steps, \(kills) kills, \(presentations) presentations
            \(presses) presses, \(attempts) attempts, \(posts) requests, \(refused) refused, \(charges) charged
            results: \(listed(results))
            attempts became: \(listed(phases))
            """
    }
}
