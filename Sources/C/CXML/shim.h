#include <stdlib.h>
#include <string.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>

// A parser that is fed piece by piece, calls the handlers given, and builds no tree. Swift does not import the callbacks that end in
// "...", and those that are left NULL here do nothing: so neither a tree, nor a list of entities, nor a document's own messages exist.
//
// What is told of a document type is told before anything of it is read. The handler stops the parser there.
static inline xmlParserCtxtPtr vitals_xml_parser(
    void *data, startElementNsSAX2Func start, endElementNsSAX2Func end, charactersSAXFunc text, internalSubsetSAXFunc document_type) {
    xmlSAXHandler handler;
    memset(&handler, 0, sizeof handler);
    handler.initialized = XML_SAX2_MAGIC;
    handler.startElementNs = start;
    handler.endElementNs = end;
    handler.characters = text;
    handler.ignorableWhitespace = text;
    handler.cdataBlock = text;
    handler.internalSubset = document_type;
    handler.externalSubset = document_type;
    xmlParserCtxtPtr parser = xmlCreatePushParserCtxt(&handler, data, NULL, 0, NULL);
    if (parser == NULL) return NULL;
    // Neither XML_PARSE_HUGE, so the library's own limits hold (a name, an attribute, a depth), nor XML_PARSE_NOENT, so no entity is
    // replaced.
    xmlCtxtUseOptions(parser, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_COMPACT);
    return parser;
}

// What is wrong, in the library's words; NULL where nothing is.
static inline const char *vitals_xml_fault(xmlParserCtxtPtr parser) {
    const xmlError *error = xmlCtxtGetLastError(parser);
    return error == NULL || error->code == XML_ERR_OK ? NULL : error->message;
}
// The line of what is wrong, or else of what is being read, from 1. 0 where nobody knows.
static inline long vitals_xml_line(xmlParserCtxtPtr parser) {
    const xmlError *error = xmlCtxtGetLastError(parser);
    if (error != NULL && error->code != XML_ERR_OK && error->line > 0) return error->line;
    return parser->input == NULL ? 0 : parser->input->line;
}
static inline int vitals_xml_is_well_formed(xmlParserCtxtPtr parser) { return parser->wellFormed; }
