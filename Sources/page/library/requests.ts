import type { ReplyError } from "service";
import { drawn, type Broker, type Message } from "./broker";
import type { Stop } from "./part";

/** The service's codes, and the page's own: nothing came in time, with a connection or without one. */
export type Code = ReplyError["code"] | "no-answer" | "offline";

/** Why a request was not carried out. */
export class Refusal extends Error {
  constructor(
    readonly code: Code, message: string,
    /** The field that is wrong, as the service calls it. */
    readonly field?: string,
    /** After how many seconds it may be asked again. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

/** A refusal in the service's own words, which are English. */
export class ServiceRefusal extends Refusal {}

interface Waiting {
  topic: string;
  text: string;
  seconds: number;
  settle(reply: unknown): void;
}

/** Requests on a broker, whose replies come to one topic. What was under way when the connection was cut is sent again afterwards with
 *  the same correlation data: the service does it once. The same goes for what the service was not there to hear, as after a restart. A
 *  gateway would do it twice, so it is asked only once. */
export class Requests {
  readonly #broker: Broker;
  readonly #replyTopic: string;
  readonly #waiting = new Map<string, Waiting>();
  readonly #stops: Stop[];

  constructor(broker: Broker, replyTopic: string, isAskedOnce = false) {
    this.#broker = broker;
    this.#replyTopic = replyTopic;
    const resend = () => {
      if (!isAskedOnce && broker.state === "online") for (const [correlation, waiting] of this.#waiting) this.#send(correlation, waiting);
    };
    broker.addEventListener("change", resend);
    this.#stops = [
      broker.listen(replyTopic, (message) => this.#heard(message)),
      () => broker.removeEventListener("change", resend),
    ];
  }

  /** What the service replies, or a `Refusal`.
   *  @param seconds how long to wait, the time without a connection among it */
  ask(topic: string, fields: object, seconds = 10): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const correlation = drawn();
      const end = (act: () => void) => {
        clearTimeout(timer);
        this.#waiting.delete(correlation);
        act();
      };
      const timer = setTimeout(() => end(() => {
        const code = this.#broker.state === "online" ? "no-answer" : "offline";
        reject(new Refusal(code, "nothing came in time"));
      }), seconds * 1000);
      const waiting: Waiting = {
        topic, text: JSON.stringify(fields), seconds,
        settle: (reply) => end(() => {
          const read = outcome(reply);
          if (read instanceof Refusal) reject(read);
          else resolve(read.data);
        }),
      };
      this.#waiting.set(correlation, waiting);
      this.#send(correlation, waiting);
    });
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }

  #send(correlation: string, { topic, text, seconds }: Waiting): void {
    this.#broker.publish(topic, text, { topic: this.#replyTopic, correlation, seconds }, () => setTimeout(() => {
      const waiting = this.#waiting.get(correlation);
      if (waiting) this.#send(correlation, waiting);
    }, 1_000));
  }

  #heard(message: Message): void {
    const waiting = this.#waiting.get(message.correlation);
    if (waiting) waiting.settle(parsed(message.text));
  }
}

/** Waits before something is asked again. */
export function after(seconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, 1000 * seconds));
}

/** How many replies with nothing in them are enough at once. */
const mostReplies = 5;

/** The next page of a list that has something in it. The service looks at so many entries for each reply: there may be none in it that the
 *  person sees, and more to come. After some such replies it is an empty page, with its `next`.
 *  @param next of the page before */
export async function pageOf<Page extends { next?: string | undefined }>(
  ask: (from: { after?: string }) => Promise<Page>, isEmpty: (page: Page) => boolean, next?: string,
): Promise<Page> {
  let page = await ask(next === undefined ? {} : { after: next });
  for (let replies = 1; replies < mostReplies && page.next !== undefined && isEmpty(page); replies += 1)
    page = await ask({ after: page.next });
  return page;
}

/** A payload, or undefined if it is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function outcome(reply: unknown): { data: unknown } | Refusal {
  const { status, data, error } = (reply ?? {}) as { status?: string; data?: unknown; error?: ReplyError };
  if (status === "ok") return { data };
  return new ServiceRefusal(error?.code ?? "internal", error?.message ?? "this is no reply", error?.field, error?.retry_after_s);
}
