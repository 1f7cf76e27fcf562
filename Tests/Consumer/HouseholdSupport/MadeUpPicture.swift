/// The smallest JPEG file, made by hand after the format's document.
package func smallestJPEG(_ width: UInt16 = 3, _ height: UInt16 = 2) -> [UInt8] {
    let frame: [UInt8] = [
        0xFF, 0xC0, 0, 11, 8, UInt8(height >> 8), UInt8(height & 0xFF), UInt8(width >> 8), UInt8(width & 0xFF), 1,
        1, 0x11, 0,
    ]
    let head: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0]
    return head + frame + [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 0x55, 0xFF, 0xD9]
}
