import type { Requests as Asked } from "service";
import { decoded, encoded } from "../library/bytes";
import { element, fill, plain, pressed, refill, written, type Child } from "../library/element";
import { ago, duration, number } from "../library/format";
import type { Person } from "../library/person";
import { pictureAddress } from "../library/pictures";
import { pageOf, Refusal } from "../library/requests";
import { namesOf } from "../library/training";
import { say } from "../library/words";
import { AnswerCard } from "../parts/answer-card";
import { empty, skeleton } from "../parts/card";
import { busy, button, check, checks, field, form, text } from "../parts/form";
import { icon } from "../parts/icons";
import { confirmed } from "../parts/dialog";
import { toast } from "../parts/toast";
import { looks } from "./friends-card";
import { authorFace } from "./post-author";
import { PostComments } from "./post-comments";
import { reportTo } from "./post-report";
import { postedWorkout } from "./post-workout";
import { squareOf } from "./picture-dialog";
import { shareOut } from "./share-out";
import { workoutsText } from "./workouts";

type Listed = Asked["posts/list"]["replies"];
type Post = Listed["posts"][number];

/** What one's friends and groups have posted, the newest first, and one's own. */
export function posts(person: Person): HTMLElement {
  const feed = new Feed(person);
  return element("div", { class: "grid" }, element("div", { class: "side s7" }, feed), element("div", { class: "side s5" }, new NewPost(person, () => feed.load())));
}

class Feed extends AnswerCard {
  /** The places of pictures, by their posts: each is asked for when it comes into sight, one after the other, for the service gives only a few a second. */
  readonly #pictures = new Map<string, HTMLElement>();
  readonly #sight = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      const ask = () => this.#picture(target as HTMLElement);
      if (!isIntersecting) continue;
      this.#sight.unobserve(target);
      this.#turn = this.#turn.then(ask, ask);
    }
  });
  #turn = Promise.resolve();

  begin(): void {
    this.frame(say("posts"), "");
    this.ask(async () => {
      const shown = this.body.querySelectorAll(".post").length;
      let page = await this.#page();
      const posts = [...page.posts];
      // As many as are shown already.
      while (page.next !== undefined && page.posts.length > 0 && posts.length < shown) {
        page = await this.#page(page.next);
        posts.push(...page.posts);
      }
      return this.#content(element("ol", { class: "posts" }, ...posts.map((post) => this.#entry(post))), page.next);
    });
    // Comments are loaded where they are shown.
    this.whileShown(this.person.hear("posts", (news) => {
      if (!(news as { commented?: boolean } | null)?.commented) void this.load();
    }), () => this.#sight.disconnect());
  }

  #page(after?: string): Promise<Listed> {
    return pageOf((from) => this.person.ask("posts/list", from), ({ posts }) => posts.length === 0, after);
  }

  #content(list: HTMLElement, next: string | undefined): Child[] {
    const nothing = list.childElementCount > 0 ? null : empty("share", say(next === undefined ? "noPosts" : "noPostsYet"));
    return [nothing ?? list, next === undefined ? null : this.#more(list, next)];
  }

  #more(list: HTMLElement, after: string): HTMLElement {
    const more = button(say("showMore"), "s");
    return pressed(more, () => void busy(more, async () => {
      const { posts, next } = await this.#page(after), made = posts.map((post) => this.#entry(post));
      // Where all was loaded again meanwhile, there is another button.
      if (!more.isConnected) return;
      if (made.length === 0) return refill(this.body, ...this.#content(list, next));
      const hasFocus = more === document.activeElement;
      list.append(...made);
      if (list.isConnected) more.replaceWith(...(next === undefined ? [] : [this.#more(list, next)]));
      else fill(this.body, ...this.#content(list, next));
      // Whoever has pressed the button goes on with what has come.
      if (hasFocus) made[0]?.querySelector("button")?.focus();
    }));
  }

  #entry(post: Post): HTMLElement {
    const { name, own, time, text, workouts = 0, duration_s = 0, selection = [], muscles = [], picture, workout, author, portrait } = post;
    const place = picture ? this.#placeOf(post) : null;
    const week = [workoutsText(workouts), duration(duration_s), ...(muscles.length > 0 ? [namesOf(muscles.slice(0, 5))] : [])].join(" · ");
    const item = element("li", { class: "post", "data-row": post.post },
      element("div", { class: "row" },
        authorFace(this.person, { of: { post: post.post }, author, name, own, hasPortrait: portrait, look: own ? "" : looks[[...author].length % 4] ?? "" }),
        element("span", { class: "grow" }, element("b", {}, own ? say("you") : written(name)), element("small", {}, ago(time)))),
      ...(text ? text.split("\n").map((line) => element("p", { class: "whole" }, written(line))) : []), place,
      workout ? postedWorkout(this.person, post.post, workout) : element("p", { class: "small muted" }, say("theirWeek", { week })),
      selection.length > 0 ? element("p", { class: "small muted" }, say("theirSelection"), " ", written(selection.join(", "))) : null);
    item.append(this.#acts(post, item), ...this.#comments(post));
    return item;
  }

  /** How many comments there are; pressed, the comments themselves. */
  #comments({ post, comments }: Post): [HTMLElement, HTMLElement] {
    const open = button("", "s quiet", { "aria-expanded": "false" }), place = element("div");
    const counted = (count: number) => (open.textContent = say("commentsOf", { count: number(count) }));
    counted(comments);
    pressed(open, () => {
      const isShown = place.childElementCount > 0;
      fill(place, isShown ? null : new PostComments(this.person, post, counted));
      open.setAttribute("aria-expanded", `${!isShown}`);
    });
    return [element("div", { class: "btns" }, open), place];
  }

  #acts(post: Post, item: HTMLElement): HTMLElement {
    const { post: id, own, ups, downs, mine, name } = post;
    const thumb = (which: "up" | "down", count: number) => {
      const label = say(which === "up" ? "thumbsUp" : "thumbsDown", { name: own ? say("you") : plain(name) });
      const made = element("button", {
        type: "button", class: `btn s ${which === "down" ? "flip" : ""}`, "data-is": which, "aria-pressed": `${mine === which}`, "aria-label": `${label}: ${number(count)}`,
      }, icon("up", "i-s"), number(count));
      return pressed(made, () => void busy(made, async () => {
        const entry = this.#entry(await this.person.ask("posts/thumb", { post: id, thumb: mine === which ? null : which }));
        const hasFocus = item.contains(document.activeElement);
        item.replaceWith(entry);
        if (hasFocus) entry.querySelector<HTMLElement>(`[data-is="${which}"]`)?.focus();
      }));
    };
    if (own) {
      const remove = button(say("delete"), "s quiet"), share = post.workout ? null : pressed(button(say("share"), "s quiet"), () => shareOut(this.person, { what: "post", post: id }));
      pressed(remove, () => void (async () => {
        if (await confirmed(say("deletePostQuestion"), say("deletePostMeans"), say("delete"))) await busy(remove, async () => {
          await this.person.ask("posts/delete", { post: id });
          await this.load();
        });
      })());
      return element("div", { class: "btns" }, element("span", { class: "small muted" }, say("thumbsOf", { ups: number(ups), downs: number(downs) })), share, remove);
    }
    const report = pressed(button(say("report"), "s quiet", { "aria-label": say("reportName", { name: plain(name) }) }), () => reportTo(this.person, { post: id }, say("reportPost")));
    return element("div", { class: "btns" }, thumb("up", ups), thumb("down", downs), report);
  }

  /** What is there already stays. */
  #placeOf({ post }: Post): HTMLElement {
    const place = this.#pictures.get(post) ?? element("div", { class: "post-picture", "data-post": post }, skeleton());
    if (!this.#pictures.has(post)) this.#sight.observe(place);
    this.#pictures.set(post, place);
    return place;
  }

  async #picture(place: HTMLElement): Promise<void> {
    const post = place.dataset["post"] ?? "";
    try {
      const { picture } = await this.person.ask("posts/picture", { post }, 30);
      const address = pictureAddress(decoded(picture));
      if (!address) return place.remove();
      const shown = element("img", { src: address, alt: say("pictureOfPost") });
      for (const kind of ["load", "error"]) shown.addEventListener(kind, () => URL.revokeObjectURL(address));
      fill(place, shown);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      // Whoever looks elsewhere by then asks again when they come back.
      if (error.code === "rate-limited") return void setTimeout(() => this.#sight.observe(place), 1000 * (error.retryAfter ?? 1));
      this.#pictures.delete(post);
      place.remove();
    }
  }
}

/** No file is read that is larger. */
const largestFile = 40_000_000;

/** Posts how the week goes, to friends or to groups. */
class NewPost extends AnswerCard {
  readonly #posted: () => Promise<void>;

  constructor(person: Person, posted: () => Promise<void>) {
    super(person);
    this.#posted = posted;
  }

  begin(): void {
    this.frame(say("newPost"), "");
    // What is typed there stays.
    this.ask(async () => this.body.querySelector("form") ? null : [this.#form((await this.person.ask("groups/list", {})).groups)]);
  }

  #form(groups: Asked["groups/list"]["replies"]["groups"]): Child {
    let picture: Blob | null = null;
    const words = field(say("postWords"), text({ maxlength: 1000, autocomplete: "off" }), { hint: say("postHint"), look: "all" });
    const file = element("input", { type: "file", accept: "image/*", hidden: true });
    const choose = button(say("choosePicture"), "s soft"), taken = element("span", { class: "small muted", role: "status" });
    pressed(choose, () => file.click());
    file.addEventListener("change", () => {
      const chosen = file.files?.[0];
      file.value = "";
      if (chosen) void busy(choose, async () => {
        const read = chosen.size > largestFile ? null : await createImageBitmap(chosen).catch(() => null);
        if (!read) throw new Refusal("invalid", say("noPicture"));
        picture = await squareOf(read).finally(() => read.close()) ?? picture;
        taken.textContent = picture ? say("pictureTaken") : "";
      });
    });
    const friends = check(say("toFriends"), true);
    const to = groups.length > 0 ? checks(say("toGroups"), groups.map(({ group, name }) => [group, plain(name)]), []) : null;
    const send = element("button", { class: "btn first" }, say("postIt"));
    return form({ text: words, ...(to && { groups: to }) }, [
      words.node, element("div", { class: "btns all" }, file, choose, taken), friends.node, to?.node, element("div", { class: "btns all" }, send)], send, async () => {
      const content = words.input.value.trim(), chosen = to?.chosen() ?? [];
      await this.person.ask("posts/add", {
        ...(content && { text: content }), ...(picture && { picture: encoded(new Uint8Array(await picture.arrayBuffer())) }),
        friends: friends.input.checked, ...(chosen.length > 0 && { groups: chosen }) }, 30);
      words.input.value = taken.textContent = "";
      picture = null;
      toast(say("isPosted"));
      await this.#posted();
    });
  }
}

customElements.define("vitals-posts", Feed);
customElements.define("vitals-new-post", NewPost);
