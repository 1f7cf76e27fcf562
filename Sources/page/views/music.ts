import type { FoundTrack, Music, Track } from "service";
import { element, fill, give, plain, pressed, written } from "../library/element";
import { duration, number } from "../library/format";
import type { Gateway } from "../library/household";
import { artworkOf, playlistOf } from "../library/music";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { pictureAddress } from "../library/pictures";
import { Refusal } from "../library/requests";
import { say, type Word } from "../library/words";
import { answered, refused } from "../parts/answered";
import { Card, empty, meter, section, skeleton } from "../parts/card";
import { busy, button, field, form, round, select, text, tick } from "../parts/form";
import { icon, type IconName } from "../parts/icons";
import { toast } from "../parts/toast";
import { keepLoaded, unloaded } from "./household";
import type { View } from "./view";

/** How many tracks of the library are looked at in one reply. */
const libraryPage = 50;
/** So many tracks are shown at first, and more when they are asked for. */
const page = 100;

/** What is played in the house. */
class MusicOfHouse extends Part {
  readonly #person: Person;
  #chosen = "";

  constructor(person: Person) {
    super();
    this.#person = person;
  }

  begin(): void {
    keepLoaded(this, this.#person);
    let shown = "";
    const show = () => {
      const list = this.#person.household.list?.filter(({ info, music }) => info?.settings.music || music);
      const now = list ? `${this.#chosen} ${list.map(({ id }) => id).join()}` : `${this.#person.household.failure?.message}`;
      if (now === shown) return;
      shown = now;
      if (!list) return fill(this, element("div", { class: "card" }, unloaded(this.#person)));
      const gateway = list.find(({ id }) => id === this.#chosen) ?? list[0];
      if (!gateway) return fill(this, element("div", { class: "card" }, empty("music", say("noMusic"))));
      fill(this, element(
        "div", { class: "grid" },
        list.length > 1 ? this.#choice(list, gateway, show) : null,
        element("div", { class: "side s5" }, new Player(this.#person, gateway), new Library(this.#person, gateway), new WithWorkouts(this.#person, gateway)),
        new TrackList(this.#person, gateway)));
    };
    show();
    this.hear(this.#person.household, "change", show);
  }

  #choice(list: Gateway[], gateway: Gateway, show: () => void): HTMLElement {
    const made = field(say("gateway"), select(list.map(({ id, name }) => [id, plain(name)]), gateway.id));
    made.input.addEventListener("change", () => {
      this.#chosen = made.input.value;
      show();
    });
    return made.node;
  }
}

/** The track that is under way, and the buttons. */
class Player extends Card {
  readonly #person: Person;
  readonly #gateway: Gateway;
  readonly #cover = element("div", { class: "cover" }, icon("music"));
  readonly #words = element("div", { class: "grow", "aria-live": "polite" });
  readonly #time = element("div");
  readonly #toggle = this.#button("play", "play", "first", () => (this.#isPlaying ? "music/pause" : "music/play"));
  readonly #why = element("div");
  readonly #playing: HTMLElement;
  #song: number | undefined;
  #picture: string | null = null;

  constructor(person: Person, gateway: Gateway) {
    super();
    this.#person = person;
    this.#gateway = gateway;
    this.#playing = element(
      "div", { class: "side" }, element("div", { class: "player" }, this.#cover, this.#words), this.#time,
      element("div", { class: "btns middle" },
        this.#button("previousTrack", "previousTrack", "", () => "music/previous"), this.#toggle, this.#button("nextTrack", "nextTrack", "", () => "music/next")));
  }

  begin(): void {
    this.frame(say("nowPlaying"), "");
    this.append(this.#why, this.#playing);
    this.#song = undefined;
    const show = () => this.#show();
    show();
    this.hear(this.#person.household, "change", show);
    this.each(1_000, () => this.#count());
    this.whileShown(() => this.#put(null));
  }

  get #isPlaying(): boolean {
    return this.#gateway.music?.state === "playing";
  }

  #button(name: IconName, label: Word, look: string, verb: () => "music/play" | "music/pause" | "music/next" | "music/previous"): HTMLButtonElement {
    const made = element("button", { type: "button", class: `btn ${look}`, "aria-label": say(label) }, icon(name));
    return pressed(made, () => void busy(made, async () => {
      await this.#gateway.ask(verb(), {});
    }));
  }

  #show(): void {
    const { music, isOnline } = this.#gateway;
    const heading = this.querySelector("h2");
    const isEmpty = isOnline && music?.available === true && music.length === 0;
    const why = !isOnline ? say("gatewayGone") : !music?.available ? say("noPlayer") : isEmpty ? say("emptyPlaylistDo") : "";
    if (heading) heading.textContent = say(isEmpty ? "Empty Playlist" : "nowPlaying");
    if (this.#why.textContent !== why) fill(this.#why, why ? empty(isEmpty ? "music" : "warn", why) : null);
    this.#playing.hidden = why !== "";
    if (why || !music) return;
    this.#tell(music);
    give(this.#toggle, { "aria-label": say(this.#isPlaying ? "pause" : "play") });
    const wanted = this.#isPlaying ? "pause" : "play";
    if (this.#toggle.dataset["icon"] !== wanted) {
      this.#toggle.dataset["icon"] = wanted;
      fill(this.#toggle, icon(wanted));
    }
    this.#count();
    if (music.track?.song !== this.#song) void this.#fetch(music.track?.song);
  }

  #tell({ track, length = 0 }: Music): void {
    const shown = JSON.stringify([track, length]);
    if (this.#words.dataset["shown"] === shown) return;
    this.#words.dataset["shown"] = shown;
    fill(this.#words, ...(track ? [
      element("b", {}, written(track.title ?? say("noTitle"))), track.artist ? element("p", {}, written(track.artist)) : null,
      track.album ? element("p", { class: "muted" }, written(track.album)) : null,
      element("p", { class: "muted small" }, say("trackOf", { position: number(track.position), length: number(length) })),
    ] : [element("b", {}, say("stopped")), element("p", { class: "muted small" }, say("tracks", { count: number(length) }))]));
  }

  /** How far the track is. */
  #count(): void {
    const { music } = this.#gateway;
    const whole = music?.track?.duration_s;
    if (!music || music.elapsed_s === undefined || !whole) return fill(this.#time);
    const gone = this.#isPlaying ? Math.max(0, Date.now() - music.time) / 1000 : 0;
    const elapsed = Math.min(whole, music.elapsed_s + gone);
    fill(this.#time, meter(elapsed / whole),
      element("div", { class: "pair" }, element("span", { class: "small muted" }, duration(elapsed)), element("span", { class: "small muted" }, duration(whole))));
  }

  async #fetch(song: number | undefined): Promise<void> {
    this.#song = song;
    this.#put(null);
    if (song === undefined) return;
    const bytes = await artworkOf(this.#gateway, song).catch(() => null);
    if (this.#song !== song || !this.isConnected || !bytes) return;
    this.#put(pictureAddress(bytes));
  }

  /** Shows a picture, or the drawing that stands for none. */
  #put(picture: string | null): void {
    if (this.#picture) URL.revokeObjectURL(this.#picture);
    this.#picture = picture;
    const drawn = picture ? element("img", { src: picture, alt: "" }) : icon("music");
    // What claims to be a picture may be broken.
    drawn.addEventListener("error", () => fill(this.#cover, icon("music")));
    fill(this.#cover, drawn);
  }
}

/** The playlist, in which a track can be looked for. */
class TrackList extends Card {
  readonly #person: Person;
  readonly #gateway: Gateway;
  readonly #search = field(say("searchTracks"), text({ type: "search", autocomplete: "off", maxlength: 100 }));
  readonly #body = element("div");
  #tracks: Track[] | null = null;
  #version: number | undefined;
  #most = page;

  constructor(person: Person, gateway: Gateway) {
    super();
    this.#person = person;
    this.#gateway = gateway;
    this.#search.input.addEventListener("input", () => {
      this.#most = page;
      this.#show();
    });
  }

  begin(): void {
    this.frame(say("playlist"), "s7");
    this.append(this.#search.node, this.#body);
    let song: number | undefined;
    const look = () => {
      const { music, isOnline } = this.#gateway;
      this.hidden = !isOnline || !music?.available || music.length === 0;
      if (this.hidden || !music) return;
      if (music.version !== this.#version) void this.#load(music.version);
      if (music.track?.song !== song) this.#show();
      song = music.track?.song;
    };
    look();
    this.hear(this.#person.household, "change", look);
  }

  async #load(version: number | undefined): Promise<void> {
    this.#version = version;
    if (!this.#tracks) fill(this.#body, skeleton());
    try {
      const tracks = await playlistOf(this.#gateway);
      if (this.#version !== version) return;
      this.#tracks = tracks;
      this.#show();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      // The next message of the gateway loads it again.
      this.#version = undefined;
      if (this.#tracks) return;
      fill(this.#body, refused(error, () => void this.#load(version)));
    }
  }

  #show(): void {
    if (!this.#tracks) return;
    const wanted = this.#search.input.value.trim().toLocaleLowerCase();
    const found = this.#tracks.filter(({ title, artist, album }) =>
      [title, artist, album].some((one) => (one ?? "").toLocaleLowerCase().includes(wanted)));
    const more = pressed(button(say("more"), "wide-btn"), () => {
      this.#most += page;
      this.#show();
    });
    const focus = this.#body.contains(document.activeElement) ? document.activeElement?.closest<HTMLElement>("[data-act]") : null;
    const song = focus?.closest<HTMLElement>("[data-song]")?.dataset["song"], act = focus?.dataset["act"];
    fill(this.#body,
      found.length === 0 ? empty("music", say("noSuchTrack"))
        : element("ul", { class: "rows" }, ...found.slice(0, this.#most).map((track) => this.#row(track))),
      found.length > this.#most ? more : null);
    // A track that was removed leaves the focus to the field.
    if (song) (this.#body.querySelector<HTMLElement>(`[data-song="${song}"] [data-act="${act}"]`) ?? this.#search.input).focus();
  }

  #row({ song, title, artist, album, duration_s }: Track): HTMLElement {
    const isCurrent = this.#gateway.music?.track?.song === song;
    const called = title ?? say("noTitle");
    const choose = round("play", say("playName", { name: plain(called) }), () => void busy(choose, () => this.#gateway.ask("music/choose", { song })), { "data-act": "choose" });
    const remove = round("minus", say("removeTrack", { name: plain(called) }), () => void busy(remove, async () => {
      await this.#gateway.ask("music/remove", { song });
      toast(say("trackRemoved"));
    }), { "data-act": "remove" });
    const under = [isCurrent ? say("underWay") : "", artist ?? "", album ?? ""].filter((one) => one !== "").join(", ");
    return element(
      "li", { class: "row", "data-song": song, "aria-current": isCurrent ? "true" : undefined },
      element("span", { class: `badge ${isCurrent ? "accent" : ""}` }, icon(isCurrent ? "wave" : "music")),
      element("span", { class: "grow" }, element("b", {}, written(called)), under ? element("small", {}, written(under)) : null),
      duration_s === undefined ? null : element("span", { class: "val" }, duration(duration_s)), choose, remove);
  }
}

/** The library, in which tracks are found for the playlist. */
class Library extends Card {
  readonly #person: Person;
  readonly #gateway: Gateway;

  constructor(person: Person, gateway: Gateway) {
    super();
    this.#person = person;
    this.#gateway = gateway;
  }

  begin(): void {
    this.frame(say("musicLibrary"), "");
    const wanted = field(say("searchLibrary"), text({ type: "search", autocomplete: "off", maxlength: 100 }), { hint: say("searchLibraryHint"), look: "all" });
    const found = element("div", { class: "side" });
    const send = element("button", { class: "btn first" }, say("search"));
    this.append(form({ text: wanted }, [wanted.node, element("div", { class: "btns all" }, send)], send, async () => {
      const words = wanted.input.value.trim();
      if (words === "") throw new Refusal("invalid", "Empty Fields", "text");
      const { tracks, more } = await this.#gateway.ask("music/search", { text: words });
      if (tracks.length === 0) return fill(found, empty("music", say("nothingInLibrary")));
      const rows = element("ul", { class: "rows" }, ...tracks.map((track) => this.#row(track)));
      fill(found, rows, more ? this.#more(words, rows) : null);
    }), found);
    const look = () => { this.hidden = !this.#gateway.isOnline || !this.#gateway.music?.available; };
    look();
    this.hear(this.#person.household, "change", look);
  }

  #more(words: string, rows: HTMLElement): HTMLElement {
    const made = button(say("showMore"), "s");
    let from = 1;
    return pressed(made, () => void busy(made, async () => {
      // A page may have left out some that cannot be added.
      from += libraryPage;
      const { tracks, more } = await this.#gateway.ask("music/search", { text: words, from });
      rows.append(...tracks.map((track) => this.#row(track)));
      if (!more) made.remove();
    }));
  }

  #row({ found, title, artist, album, duration_s }: FoundTrack): HTMLElement {
    const called = title ?? say("noTitle");
    const add = button(say("add"), "s", { "aria-label": say("addName", { name: plain(called) }) });
    pressed(add, () => void busy(add, async () => {
      await this.#gateway.ask("music/add", { found });
      toast(say("Tracks added to playlist"));
    }));
    const under = [artist, album].filter((one) => one).join(", ");
    return element(
      "li", { class: "row" }, element("span", { class: "badge" }, icon("music")),
      element("span", { class: "grow" }, element("b", {}, written(called)), under ? element("small", {}, written(under)) : null),
      duration_s === undefined ? null : element("span", { class: "val" }, duration(duration_s)), add);
  }
}

/** Whether the person's workouts start and pause it. */
class WithWorkouts extends Part {
  readonly #person: Person;
  readonly #gateway: Gateway;

  constructor(person: Person, gateway: Gateway) {
    super();
    this.#person = person;
    this.#gateway = gateway;
  }

  begin(): void {
    const body = element("div");
    fill(this, section(say("withWorkouts"), "", body));
    const { id } = this.#gateway;
    answered(this, this.#person, body, async () => {
      const { workouts, gateway } = await this.#person.ask("music/get", {});
      return [
        tick(say("workoutsPlay"), workouts && gateway === id, (wanted) => this.#person.ask("music/set", { workouts: wanted, gateway: id })),
        element("p", { class: "hint" }, say("workoutsPlayWhy")),
      ];
    });
  }
}

export const musicView: View = {
  address: /^#\/music$/,
  place: { address: "#/music", word: "music", icon: "music", isOfHouse: true },
  open: ({ person }) => ({ title: say("music"), content: new MusicOfHouse(person) }),
};

customElements.define("vitals-music", MusicOfHouse);
customElements.define("vitals-player", Player);
customElements.define("vitals-tracks", TrackList);
customElements.define("vitals-library", Library);
customElements.define("vitals-with-workouts", WithWorkouts);
