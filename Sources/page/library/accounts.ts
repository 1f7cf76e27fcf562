import type { Accounts } from "service";
import { Broker, drawn } from "./broker";
import { Refusal, Requests } from "./requests";

const root = "vitals/v1/accounts";

/** Where the broker is: at the server that the page came from. */
export function brokerAddress(): string {
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/mqtt`;
}

/** Asks as a guest, who is not signed in, on a connection and a topic of its own, which nobody else can guess.
 *
 *  If nothing comes in time, the subscription is ended before the connection is, and a reply that comes before the broker has noted that
 *  is taken: otherwise the service would have made a device that nobody has. */
export async function askAsGuest<Verb extends keyof Accounts>(
  verb: Verb, fields: Accounts[Verb]["asks"],
): Promise<Accounts[Verb]["replies"]> {
  const broker = new Broker(brokerAddress(), null);
  const replyTopic = `${root}/responses/${drawn()}`;
  const requests = new Requests(broker, replyTopic);
  broker.open();
  // Longer than the service is waited for.
  const reply = requests.ask(`${root}/${verb}`, fields, 40) as Promise<Accounts[Verb]["replies"]>;
  let late: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise<never>((_, giveUp) => {
    late = setTimeout(async () => {
      await broker.unsubscribe(replyTopic);
      giveUp(new Refusal("no-answer", "nothing came in time"));
    }, 15_000);
  });
  reply.catch(() => {});
  try {
    return await Promise.race([reply, patience]);
  } finally {
    clearTimeout(late);
    requests.stop();
    broker.close();
  }
}
