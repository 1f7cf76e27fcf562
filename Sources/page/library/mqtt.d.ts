// What the page uses of MQTT.js 4 and of the streams and buffers that it stands on: Debian's packages have no types for browsers.

declare module "buffer/" {
  export interface Buffer extends Uint8Array {}
  export const Buffer: { from(data: ArrayBuffer | string): Buffer };
}

declare module "readable-stream" {
  import type { Buffer } from "buffer/";

  export class Duplex {
    constructor(options: {
      read(): void;
      write(chunk: Buffer, encoding: string, done: (error?: Error) => void): void;
      final(done: () => void): void;
      destroy(error: Error | null, done: (error: Error | null) => void): void;
    });
    push(chunk: Buffer | null): void;
    destroy(error?: Error): void;
    emit(event: string): void;
  }
}

declare module "mqtt/lib/client.js" {
  import type { Buffer } from "buffer/";
  import type { Duplex } from "readable-stream";

  export interface Properties {
    responseTopic?: string;
    correlationData?: Buffer;
    messageExpiryInterval?: number;
  }

  export interface Packet {
    retain: boolean;
    properties?: Properties;
  }

  export interface Options {
    clientId: string;
    protocolVersion: 5;
    clean: true;
    /** Seconds. */
    keepalive: number;
    /** 0: the client does not connect again by itself. */
    reconnectPeriod: 0;
    /** Milliseconds. */
    connectTimeout: number;
    resubscribe: false;
    username?: string;
    password?: string;
  }

  export default class MqttClient {
    constructor(stream: () => Duplex, options: Options);
    on(event: "connect" | "close", act: () => void): this;
    /** Each packet, before anything is done with it. */
    on(event: "packetreceive", act: (packet: { cmd: string; messageId?: number; reasonCode?: number }) => void): this;
    on(event: "error", act: (error: Error & { code?: number }) => void): this;
    on(event: "message", act: (topic: string, payload: Buffer, packet: Packet) => void): this;
    subscribe(filter: string, options: { qos: 0 | 1 }, done: (error: Error | null) => void): this;
    unsubscribe(filter: string, done: (error?: Error) => void): this;
    publish(
      topic: string, payload: string, options: { qos: 0 | 1; properties: Properties },
      done: (error?: Error | null, published?: { messageId: number }) => void): this;
    /** Not among what MQTT.js documents: its own pings go this way. */
    _sendPacket(packet: { cmd: "pingreq" }): void;
    end(force: boolean): this;
  }
}
