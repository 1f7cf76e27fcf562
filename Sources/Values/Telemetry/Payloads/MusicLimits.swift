/// How much of the music in a house is told.
public enum MusicLimits {
    /// How many bytes of UTF-8 a title, an artist or an album has at most.
    public static let textBytes = 256
    /// How many tracks one reply lists at most.
    public static let page = 50
    /// The last position in the playlist that is listed. No track is added after it.
    public static let lastPosition = 1000
    /// How many bytes of UTF-8 a text to search for has at most.
    public static let searchBytes = 100
    /// How many words it has at most: each is compared with every track of the library.
    public static let searchWords = 8
    /// How many bytes of a picture one reply has at most.
    public static let artworkPart = 16 * 1024
    /// No larger picture is told, in bytes.
    public static let artwork = 1024 * 1024
}
