internal import Arguments

/// What reading the configuration again (SIGHUP) changes.
struct ReloadedOptions: Equatable, Sendable {
    /// What holds from now on: the new values of what can change at once, the old ones of the rest.
    let options: DaemonOptions
    /// The options that differ now and wait for a restart, as flags without their dashes, in the order of the help.
    let needsRestart: [String]
}

extension DaemonOptions {
    /// Reads all again: `log-level`, `retention-days`, `follow-up-seconds`, `locale` and `country` hold at once, the
    /// rest after a restart. The flags and the environment of a running process stay what they were, so it is the
    /// file that may say something new.
    ///
    /// - throws: as ``parse(_:environment:readFile:)``; then everything stays as it is.
    func reloaded(
        _ arguments: [String], environment: [String: String],
        readFile: (String) throws(ArgumentError) -> String? = ConfigurationFile.read
    ) throws(ArgumentError) -> ReloadedOptions {
        let new = try Self.parse(arguments, environment: environment, readFile: readFile)
        var options = self
        options.logLevel = new.logLevel
        options.retentionDays = new.retentionDays
        options.followUp = new.followUp
        options.language = new.language
        options.country = new.country
        return ReloadedOptions(options: options, needsRestart: new.changesThatNeedRestart(from: self))
    }
}
