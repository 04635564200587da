internal import CSQLite
internal import FoundationEssentials

/// The row a statement stands on; valid inside of the closure that gets it.
struct Row {
    let statement: OpaquePointer

    func integer(_ column: Int32) -> Int64 {
        sqlite3_column_int64(statement, column)
    }

    func flag(_ column: Int32) -> Bool {
        integer(column) != 0
    }

    func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(statement, column) == SQLITE_NULL
    }

    func optionalInteger(_ column: Int32) -> Int64? {
        isNull(column) ? nil : integer(column)
    }

    func date(_ column: Int32) -> Date {
        Millis.date(integer(column))
    }

    func optionalDate(_ column: Int32) -> Date? {
        optionalInteger(column).map(Millis.date)
    }

    func optionalText(_ column: Int32) -> String? {
        // The text first, then its length: the call may convert it.
        guard let text = sqlite3_column_text(statement, column) else { return nil }
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }

    /// - throws: `.damaged` where the schema allows no NULL and one is found.
    func text(_ column: Int32) throws(StoreError) -> String {
        guard let text = optionalText(column) else { throw .damaged(detail: "a text is missing") }
        return text
    }

    func bytes(_ column: Int32) -> [UInt8] {
        // An empty blob is a null pointer.
        guard let bytes = sqlite3_column_blob(statement, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))))
    }

    func data(_ column: Int32) -> Data {
        guard let bytes = sqlite3_column_blob(statement, column) else { return Data() }
        return Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, column)))
    }
}
