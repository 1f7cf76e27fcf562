import { decoded } from "../library/bytes";
import { element } from "../library/element";
import type { Person } from "../library/person";
import { pictureAddress } from "../library/pictures";
import { Refusal } from "../library/requests";
import { patiently } from "../parts/answered";
import { face, portrait } from "../parts/face";

/** Who has posted or written something. */
export interface Author {
  /** The post, or the comment, by which the service knows whose picture is meant. */
  of: { post: string } | { comment: string };
  author: string | undefined;
  name: string;
  own: boolean;
  hasPortrait: boolean;
  look: string;
}

/** The pictures that were asked for, by those who look and by whose they are: the page has each once, and asks for one after the other. */
const known = new WeakMap<Person, Map<string, Promise<string | null>>>();
let turn: Promise<unknown> = Promise.resolve();

/** The picture of whoever has posted or written something, once it has come; their letter until then, and without one. */
export function authorFace(person: Person, { of, author, name, own, hasPortrait, look }: Author): Element {
  if (own) return portrait(person, look);
  const letter = face(name, look);
  if (!hasPortrait || author === undefined) return letter;
  const pictures = known.get(person) ?? new Map<string, Promise<string | null>>();
  known.set(person, pictures);
  const asked = pictures.get(author) ?? loaded(person, of);
  pictures.set(author, asked);
  void asked.then((address) => {
    if (address) letter.replaceWith(element("img", { class: `face ${look}`, src: address, alt: "" }));
    else pictures.delete(author);
  });
  return letter;
}

function loaded(person: Person, of: Author["of"]): Promise<string | null> {
  const load = async () => {
    try {
      const { picture } = await patiently(() => person.ask("posts/portrait", of, 30), () => false);
      return pictureAddress(decoded(picture));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return null;
    }
  };
  const asked = turn.then(load, load);
  turn = asked;
  return asked;
}
