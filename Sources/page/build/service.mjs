// Writes the types of what the service says and is asked, from its own description, so that the compiler finds where the page and the
// service have come apart:
//
//     node service.mjs deploy/asyncapi.json >service.ts
//
// Each schema becomes a type of its name. `Requests` says what people can ask, what with, and what comes back; `Accounts` says the same of
// people who are not signed in, and `Gateways` of what a gateway is asked by its household.
import { readFileSync } from "node:fs";

const description = JSON.parse(readFileSync(process.argv[2], "utf8"));
const schemas = description.components.schemas;

function name(reference) {
  return reference.split("/").pop();
}

function type(schema) {
  if (schema.$ref) return name(schema.$ref);
  if (schema.oneOf) return schema.oneOf.map(type).join(" | ");
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  switch (schema.type) {
    case "string": return "string";
    case "boolean": return "boolean";
    case "integer":
    case "number": return "number";
    case "null": return "null";
    case "array": return schema.items ? `(${type(schema.items)})[]` : "unknown[]";
    case "object": return schema.properties ? object(schema) : "Record<string, unknown>";
    default: return "unknown";
  }
}

function object(schema) {
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties).map(
    ([key, value]) => `${JSON.stringify(key)}${required.has(key) ? "" : "?"}: ${type(value)};`);
  return `{ ${fields.join(" ")} }`;
}

// `profile/set` is ProfileSetRequest, and is answered with the `data` of ProfileSetReplyDone.
function request(verb) {
  const words = verb.split(/[/-]/).map((word) => word[0].toUpperCase() + word.slice(1)).join("");
  if (!schemas[`${words}Request`] || !schemas[`${words}ReplyDone`]) throw new Error(`${verb} has no schemas of its name`);
  return `${JSON.stringify(verb)}: { asks: ${words}Request; replies: ${data(`${words}Reply`)} };`;
}

// The data of a reply that says what was done.
function data(reply) {
  const done = schemas[`${reply}Done`];
  return done.properties.data ? type(done.properties.data) : "undefined";
}

// What a gateway is asked has schemas of any name: the operation says which.
function gatewayRequest([key, verb]) {
  const { messages, reply } = description.operations[key];
  return `${JSON.stringify(verb)}: { asks: ${name(messages[0].$ref)}; replies: ${data(name(reply.messages[0].$ref))} };`;
}

const ofGateways = Object.entries(description.channels).flatMap(([key, { address }]) => {
  const verb = /\/gateways\/[^/]+\/requests\/(.+)$/.exec(address)?.[1];
  return verb ? [[key, verb]] : [];
});
const addresses = Object.values(description.channels).map((channel) => channel.address);
const verbs = (pattern) => [...new Set(addresses.flatMap((address) => pattern.exec(address)?.[1] ?? []))].sort();

console.log("// Made by Sources/page/build/service.mjs from deploy/asyncapi.json.");
for (const [title, schema] of Object.entries(schemas)) console.log(`export type ${title} = ${type(schema)};`);
console.log(`export interface Requests { ${verbs(/\/users\/[^/]+\/requests\/([a-z-]+\/[a-z-]+)$/).map(request).join(" ")} }`);
console.log(`export interface Accounts { ${verbs(/\/accounts\/([a-z-]+)$/).map(request).join(" ")} }`);
console.log(`export interface Gateways { ${ofGateways.map(gatewayRequest).join(" ")} }`);
