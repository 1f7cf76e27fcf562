import type { Requests as Asked } from "service";
import { element, fill, plain, pressed, written } from "../library/element";
import { ago } from "../library/format";
import { Part } from "../library/part";
import type { Person } from "../library/person";
import { pageOf, Refusal } from "../library/requests";
import { say } from "../library/words";
import { answered } from "../parts/answered";
import { busy, button, field, form, text } from "../parts/form";
import { looks } from "./friends-card";
import { authorFace } from "./post-author";
import { reportTo } from "./post-report";

type Listed = Asked["posts/comments"]["replies"];
type Comment = Listed["comments"][number];

/** What people have written about a post, the first first, and a line to write in. */
export class PostComments extends Part {
  readonly #person: Person;
  readonly #post: string;
  readonly #counted: (count: number) => void;
  readonly #list = element("div");
  load: () => Promise<void> = () => Promise.resolve();

  /** @param counted is told how many there are */
  constructor(person: Person, post: string, counted: (count: number) => void) {
    super();
    this.#person = person;
    this.#post = post;
    this.#counted = counted;
  }

  begin(): void {
    const words = field(say("yourComment"), text({ maxlength: 500, autocomplete: "off" }), { hint: say("commentHint"), look: "all" });
    const send = element("button", { class: "btn s first" }, say("writeComment"));
    fill(this, this.#list, form({ text: words }, [words.node, element("div", { class: "btns all" }, send)], send, async () => {
      const said = words.input.value.trim();
      if (said === "") throw new Refusal("invalid", "Empty Fields");
      await this.#person.ask("posts/comment", { post: this.#post, text: said });
      words.input.value = "";
      await this.load();
    }));
    this.load = answered(this, this.#person, this.#list, async () => {
      const comments = await this.#all();
      this.#counted(comments.length);
      return [comments.length === 0 ? element("p", { class: "muted small" }, say("noComments"))
        : element("ol", { class: "posts" }, ...comments.map((comment) => this.#entry(comment)))];
    });
    this.whileShown(this.#person.hear("posts", (news) => {
      if ((news as { post?: string } | null)?.post === this.#post) void this.load();
    }));
  }

  async #all(): Promise<Comment[]> {
    const comments: Comment[] = [];
    let after: string | undefined;
    do {
      const page = await pageOf<Listed>((from) => this.#person.ask("posts/comments", { post: this.#post, ...from }), (found) => found.comments.length === 0, after);
      comments.push(...page.comments);
      after = page.next;
    } while (after !== undefined);
    return comments;
  }

  #entry({ comment, author, name, time, text: said, own, deletable, portrait }: Comment): HTMLElement {
    const remove = button(say("delete"), "s quiet"), report = button(say("report"), "s quiet", { "aria-label": say("reportComment", { name: plain(name) }) });
    pressed(remove, () => void busy(remove, async () => {
      await this.#person.ask("posts/delete-comment", { comment });
      await this.load();
    }));
    pressed(report, () => reportTo(this.#person, { comment }, say("reportThisComment")));
    return element("li", { "data-row": comment },
      element("div", { class: "row" },
        authorFace(this.#person, { of: { comment }, author, name, own, hasPortrait: portrait, look: own ? "" : looks[[...name].length % 4] ?? "" }),
        element("span", { class: "grow" }, element("b", {}, own ? say("you") : written(name)), element("small", {}, ago(time))),
        deletable ? remove : null, own ? null : report),
      ...said.split("\n").map((line) => element("p", { class: "whole" }, written(line))));
  }
}

customElements.define("vitals-post-comments", PostComments);
