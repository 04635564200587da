/// How the daemon ends (`protocol.md`, "Exit codes and signals of the daemon").
enum ExitCode: Int32 {
    /// Asked to, by SIGTERM or SIGINT.
    case ended = 0
    /// A bad option.
    case usage = 64
    /// The socket cannot be made, or no store can be opened.
    case cannotCreate = 73
    /// Another instance holds the state directory.
    case heldElsewhere = 75
    /// The store is damaged, or from a newer version: starting again would not help.
    case badStore = 78
    /// The store cannot be trusted any more (`fsync` failed): starting again reads what is really there.
    case faulted = 70
}
