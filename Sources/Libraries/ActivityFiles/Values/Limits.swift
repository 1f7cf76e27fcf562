/// How much may be read before it is refused. Whatever a file says about itself, no more than this is allocated for it.
public struct Limits: Hashable, Sendable {
    /// Bytes of one file, when it is no longer compressed: files that are read as a stream.
    public var streamBytes: Int
    /// Bytes of one file that is read as a whole: FIT.
    public var fileBytes: Int
    /// Bytes of archives within an archive: each is in memory while it is read, together with those around it.
    public var innerArchiveBytes: Int
    /// Samples of a file, and records of other kinds.
    public var samples: Int
    /// Rows of a database: ten years have some five million minutes.
    public var rows: Int
    /// Activities of a file.
    public var activities: Int
    /// Laps, and pauses, of an activity.
    public var parts: Int
    /// Messages of a FIT file.
    public var messages: Int
    /// Definitions of a FIT file.
    public var definitions: Int
    /// Elements of an XML document within each other.
    public var depth: Int
    /// Characters of a text that is kept, such as a name. What is longer is cut.
    public var characters: Int
    /// Files of a folder or an archive, those of archives within it included.
    public var files: Int
    /// Bytes of all files of an archive together, when they are no longer compressed.
    public var archiveBytes: Int
    /// How many times larger than the compressed bytes the others may be. Deflate itself makes at most 1,032.
    public var ratio: Int
    /// Archives and gzip files within each other.
    public var nesting: Int

    /// What a service reads from people that it does not know.
    public init() {
        streamBytes = 16 << 30
        fileBytes = 64 << 20
        innerArchiveBytes = 512 << 20
        samples = 1_000_000
        rows = 20_000_000
        activities = 10_000
        parts = 10_000
        messages = 8_000_000
        definitions = 100_000
        depth = 64
        characters = 200
        files = 200_000
        archiveBytes = 64 << 30
        ratio = 200
        nesting = 3
    }
}

extension Int {
    /// So many times this number, or the largest number there is.
    func times(_ factor: Int) -> Int {
        let (product, isTooLarge) = multipliedReportingOverflow(by: factor)
        return isTooLarge ? .max : product
    }

    /// This number and another one, or the largest number there is. Neither is negative.
    func plus(_ other: Int) -> Int {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }
}
