import type { SpeakingPlan } from "service";
import { element, fill, give, pressed } from "../library/element";
import { splitUnits } from "../library/format";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { locale, say, type Word } from "../library/words";
import { answered } from "../parts/answered";
import { Card } from "../parts/card";
import { busy, button, check, field, form, select } from "../parts/form";
import { icon } from "../parts/icons";
import { toast } from "../parts/toast";

type Content = SpeakingPlan["say"][number];
type Interval = "minutes" | "kilometres" | "miles";

const contents: [content: Content, word: Word][] = [
  ["duration", "duration"], ["distance", "distance"], ["pace", "pace"], ["speed", "speed"], ["heart-rate", "heartRate"],
  ["zone", "zoneWord"], ["steps", "steps"], ["energy", "energy"], ["goal", "goal"],
];

/** Switches the voice of this browser. It needs the profile's, and switches that on, too. */
export class VoiceButton extends Part {
  readonly #person: Person;

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    const { speaker } = this.#person;
    if (!speaker.isThere) return;
    const turn = element("button", { type: "button", class: "btn s" });
    const show = () => {
      const isOn = speaker.isOn && this.#person.profile?.voice === true;
      give(turn, { "aria-pressed": `${isOn}`, class: isOn ? "btn s soft" : "btn s" });
      fill(turn, icon("voice", "i-s"), say("voiceHere"), " ", element("span", { "aria-hidden": "true" }, say(isOn ? "on" : "off")));
    };
    pressed(turn, () => {
      const isOn = turn.getAttribute("aria-pressed") !== "true";
      speaker.turn(isOn, say("voiceExample"), locale());
      const { profile } = this.#person;
      if (isOn && profile && !profile.voice) void busy(turn, () => this.#person.change({ voice: true }));
    });
    show();
    this.hear(speaker, "change", show);
    this.hear(this.#person, "profile", show);
    fill(this, turn);
  }
}

/** What is said of a workout, how often, and whether it is said here. */
export class VoiceCard extends Card {
  readonly #person: Person;
  readonly #look: string;
  readonly #state = element("small");
  readonly #turn = button("", "s");
  readonly #body = element("div");

  constructor(person: Person, look: string) {
    super();
    this.#person = person;
    this.#look = look;
  }

  begin(): void {
    this.frame(say("voice"), this.#look);
    this.append(
      element("div", { class: "row" },
        element("span", { class: "badge" }, icon("voice")),
        element("span", { class: "grow" }, element("b", {}, say("voiceProfile")), this.#state), this.#turn),
      element("div", { class: "btns" }, new VoiceButton(this.#person)), this.#body);
    const show = () => {
      const isOn = this.#person.profile?.voice ?? false;
      fill(this.#state, say(isOn ? "on" : "off"));
      fill(this.#turn, say(isOn ? "switchOff" : "switchOn"));
      this.#turn.hidden = !this.#person.profile;
    };
    show();
    this.hear(this.#person, "profile", show);
    this.#turn.onclick = () => {
      const { profile } = this.#person;
      if (profile) void busy(this.#turn, () => this.#person.change({ voice: !profile.voice }));
    };
    answered(this, this.#person, this.#body, async () => this.#body.querySelector("form") ? null : [this.#form(await this.#person.ask("voice/get", {}))]);
  }

  #form(plan: SpeakingPlan): HTMLFormElement {
    const far: Interval = splitUnits() === "imperial" ? "miles" : "kilometres";
    const options: [Interval, number][] = [1, 2, 5, 10, 15, 30].map((minutes): [Interval, number] => ["minutes", minutes]);
    options.push(...[0.5, 1, 2, 5, 10].map((length): [Interval, number] => [far, length]));
    const kept = (["minutes", "kilometres", "miles"] as const)
      .map((unit): [Interval, number] => [unit, plan[unit] ?? 0]).find(([, count]) => count > 0);
    if (kept && !options.some((option) => option.join() === kept.join())) options.unshift(kept);
    const every = field(say("voiceEvery"), select(options.map((option) => [option.join(), interval(option)]), kept?.join()), { look: "all" });
    const boxes = contents.map(([content, word]) => ({ content, ...check(say(word), plan.say.includes(content)) }));
    const send = element("button", { class: "btn" }, say("save"));
    return form({ every }, [
      every.node, element("fieldset", { class: "boxes all" }, element("legend", {}, say("voiceSays")), ...boxes.map(({ node }) => node)),
      element("div", { class: "btns all" }, send),
    ], send, async () => {
      const wanted = boxes.filter(({ input }) => input.checked).map(({ content }) => content);
      // The order is the person's, as far as they have one.
      const order = [...plan.say.filter((content) => wanted.includes(content)), ...wanted.filter((content) => !plan.say.includes(content))];
      const [unit = "minutes", count] = every.input.value.split(",");
      const saved = await this.#person.ask("voice/set", { [unit]: Number(count), say: order });
      fill(this.#body, this.#form(saved));
      toast(say("Data Saved Successfully"));
    });
  }
}

function interval([unit, count]: [Interval, number]): string {
  const style = { minutes: "minute", kilometres: "kilometer", miles: "mile" }[unit];
  return new Intl.NumberFormat(locale(), { style: "unit", unit: style, unitDisplay: "long" }).format(count);
}

customElements.define("vitals-voice-button", VoiceButton);
customElements.define("vitals-voice-card", VoiceCard);
