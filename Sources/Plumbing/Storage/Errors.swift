// This library throws `VaultError`, which belongs to the layer below: importing this library brings its error along.
@_exported public import Files
