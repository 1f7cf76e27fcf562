import { bodyPart } from "../library/body-parts";
import { element, fill, pressed } from "../library/element";
import { ago, joined, number, temperature } from "../library/format";
import type { Person } from "../library/person";
import { say, type Word } from "../library/words";
import { Card } from "../parts/card";
import { busy, button } from "../parts/form";
import { icon, type IconName } from "../parts/icons";

interface Reading {
  text: string;
  /** Of a temperature: where it was measured, as the sensor says. */
  place?: string | undefined;
  time: number;
}

/** What a sensor tells only when somebody asks: steps and temperature. */
export class OnDemandCard extends Card {
  readonly #person: Person;
  readonly #look: string;
  readonly #rows = element("div", { class: "rows" });
  /** What was read last, as long as the page is open. */
  static #latest = new Map<string, Reading>();

  constructor(person: Person, look: string) {
    super();
    this.#person = person;
    this.#look = look;
  }

  begin(): void {
    this.frame(say("onDemand"), this.#look);
    this.append(this.#rows);
    fill(this.#rows,
      this.#row("steps", "steps", "readSteps", async () => {
        const { steps, time } = await this.#person.ask("steps/read", {}, 20);
        return { text: say("stepsValue", { steps: number(steps) }), time };
      }),
      this.#row("temperature", "temp", "readTemperature", async () => {
        const { celsius, site, time } = await this.#person.ask("temperature/read", {}, 30);
        return { text: joined(temperature(celsius)), place: site, time };
      }));
  }

  #row(what: "steps" | "temperature", name: IconName, label: Word, read: () => Promise<Reading>): HTMLElement {
    // What was read is read out, and not how long ago that was.
    const value = element("b", { role: "status" }), under = element("small");
    const show = () => {
      const reading = OnDemandCard.#latest.get(`${this.#person.user} ${what}`);
      for (const [place, words] of [[value, reading?.text ?? say(what)], [under, reading ? whenAndWhere(reading) : say("neverRead")]] as const) {
        if (place.textContent !== words) place.textContent = words;
      }
    };
    const now = button(say("readNow"), "s soft", { "aria-label": say(label) });
    pressed(now, () => void busy(now, async () => {
      OnDemandCard.#latest.set(`${this.#person.user} ${what}`, await read());
      show();
    }));
    show();
    this.each(30_000, show);
    return element("div", { class: "row" }, element("span", { class: "badge" }, icon(name)), element("span", { class: "grow" }, value, under), now);
  }
}

function whenAndWhere(reading: Reading): string {
  const when = say("readAt", { time: ago(reading.time) });
  const place = reading.place && bodyPart(reading.place);
  return place ? `${when}, ${place}` : when;
}

customElements.define("vitals-on-demand-card", OnDemandCard);
