// What this library throws is `VaultError`, which lies beneath: whoever imports this one has its error with it.
@_exported public import Files
