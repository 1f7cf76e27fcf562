import CCairo
import Glibc

extension Picture {
    /// How many bytes a PNG has at most: the largest picture, with noise everywhere, has more.
    private static let mostBytes = 32 << 20

    /// The font that texts are drawn with; Debian's package is fonts-dejavu-core. Without it, fontconfig takes another
    /// one, and without any font, cairo has a plain one of its own.
    static let font = "DejaVu Sans"

    /// The picture as PNG, with three bytes for each pixel and nothing but the pixels: no time, no name, no place.
    ///
    /// Any thread may call it.
    /// - Throws: `.failed`, with cairo's words; `.tooLarge` where the file would be.
    public func png() throws(PictureError) -> [UInt8] {
        let canvas = try Canvas(width: width, height: height)
        canvas.fill(ground)
        for element in elements {
            switch element {
            case .shape(let shape): canvas.draw(shape)
            case .text(let text): canvas.draw(text)
            }
        }
        return try canvas.png(atMost: Self.mostBytes)
    }
}

/// Cairo's surface and context. An error that something meets stays with the context, which does nothing more; it is
/// thrown at the end.
private final class Canvas {
    private let surface: OpaquePointer
    private let context: OpaquePointer

    init(width: Int, height: Int) throws(PictureError) {
        // Cairo never returns nil: what fails is an object with a status.
        guard let surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, Int32(width), Int32(height)),
            let context = cairo_create(surface)
        else { throw PictureError("make a canvas", .failed, "out of memory") }
        (self.surface, self.context) = (surface, context)
        // Letters are where their outlines say, whatever the machine's settings are.
        let options = cairo_font_options_create()
        cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
        cairo_set_font_options(context, options)
        cairo_font_options_destroy(options)
        try check(cairo_status(context), "make a canvas")
    }

    deinit {
        cairo_destroy(context)
        cairo_surface_destroy(surface)
    }

    private func check(_ status: cairo_status_t, _ attempted: String) throws(PictureError) {
        guard status != CAIRO_STATUS_SUCCESS else { return }
        throw PictureError(attempted, .failed, String(cString: cairo_status_to_string(status)))
    }

    private func use(_ colour: Colour) {
        func share(_ byte: UInt8) -> Double { Double(byte) / 255 }
        cairo_set_source_rgba(context, share(colour.red), share(colour.green), share(colour.blue), colour.opacity)
    }

    func fill(_ colour: Colour) {
        use(colour)
        cairo_paint(context)
    }

    func draw(_ shape: Shape) {
        cairo_new_path(context)
        for step in shape.steps {
            switch step {
            case .move(let point): cairo_move_to(context, point.x, point.y)
            case .line(let point): cairo_line_to(context, point.x, point.y)
            case .arc(let centre, let radius, let from, let to):
                cairo_arc(context, centre.x, centre.y, radius, from, to)
            case .close: cairo_close_path(context)
            }
        }
        if let fill = shape.fill {
            use(fill)
            cairo_fill_preserve(context)
        }
        if let stroke = shape.stroke {
            use(stroke.colour)
            cairo_set_line_width(context, stroke.width)
            cairo_set_line_cap(context, stroke.isRound ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT)
            cairo_set_line_join(context, stroke.isRound ? CAIRO_LINE_JOIN_ROUND : CAIRO_LINE_JOIN_MITER)
            cairo_stroke_preserve(context)
        }
        cairo_new_path(context)
    }

    func draw(_ text: Text) {
        let width = text.anchor == .start ? 0 : text.runs.reduce(0) { $0 + self.width($1) }
        var x = text.at.x
        switch text.anchor {
        case .start: break
        case .middle: x -= width / 2
        case .end: x -= width
        }
        cairo_move_to(context, x, text.at.y)
        for run in text.runs {
            select(run)
            use(run.colour)
            // It moves on to where the next part begins.
            cairo_show_text(context, run.words)
        }
        cairo_new_path(context)
    }

    private func select(_ run: Text.Run) {
        let weight = run.isBold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL
        cairo_select_font_face(context, Picture.font, CAIRO_FONT_SLANT_NORMAL, weight)
        cairo_set_font_size(context, run.size)
    }

    private func width(_ run: Text.Run) -> Double {
        select(run)
        var extents = cairo_text_extents_t()
        cairo_text_extents(context, run.words, &extents)
        return extents.x_advance
    }

    /// What cairo's writer fills.
    private final class Sink {
        var bytes: [UInt8] = []
        let limit: Int
        init(limit: Int) { self.limit = limit }
    }

    func png(atMost limit: Int) throws(PictureError) -> [UInt8] {
        try check(cairo_status(context), "draw a picture")
        cairo_surface_flush(surface)
        let sink = Sink(limit: limit)
        let status = withExtendedLifetime(sink) {
            cairo_surface_write_to_png_stream(
                surface,
                { sink, data, count in
                    guard let sink, let data else { return CAIRO_STATUS_WRITE_ERROR }
                    let found = Unmanaged<Sink>.fromOpaque(sink).takeUnretainedValue()
                    guard found.bytes.count + Int(count) <= found.limit else { return CAIRO_STATUS_WRITE_ERROR }
                    found.bytes += UnsafeBufferPointer(start: data, count: Int(count))
                    return CAIRO_STATUS_SUCCESS
                }, Unmanaged.passUnretained(sink).toOpaque())
        }
        if status == CAIRO_STATUS_WRITE_ERROR {
            throw PictureError("write a picture", .tooLarge, "it has more than \(limit) bytes")
        }
        try check(status, "write a picture")
        return sink.bytes
    }
}

extension Point {
    /// The place so far away, in a direction in radians clockwise from the right.
    func moved(_ distance: Double, _ angle: Double) -> Point {
        Point(x + distance * cos(angle), y + distance * sin(angle))
    }
}
