import { Buffer } from "buffer/";
import { Duplex } from "readable-stream";

/** A WebSocket as the stream that MQTT.js reads and writes. It emits `connect` when it is open. */
export function socketStream(socket: WebSocket): Duplex {
  socket.binaryType = "arraybuffer";
  let waiting: (() => void) | null = null;
  const stream = new Duplex({
    read() {},
    write(chunk, _encoding, done) {
      const send = () => {
        if (socket.readyState !== WebSocket.OPEN) return done(new Error("the socket is closed"));
        socket.send(chunk);
        done();
      };
      // The first packet is written before the socket is open.
      if (socket.readyState === WebSocket.CONNECTING) waiting = send;
      else send();
    },
    final(done) {
      socket.close();
      done();
    },
    destroy(error, done) {
      socket.close();
      done(error);
    },
  });
  socket.addEventListener("open", () => {
    stream.emit("connect");
    waiting?.();
    waiting = null;
  });
  socket.addEventListener("message", (event: MessageEvent<ArrayBuffer>) => stream.push(Buffer.from(event.data)));
  socket.addEventListener("close", () => stream.destroy());
  return stream;
}
