// MQTT.js and the packages that it stands on were written for Node.js: these are the two of its names that they use.
export * as process from "process/browser.js";
export { Buffer } from "buffer/";
