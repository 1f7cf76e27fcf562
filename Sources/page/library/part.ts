/** What stops something that was begun. */
export type Stop = () => void;

/** A piece of the page that follows something while it is shown: what it begins when it comes into the page stops when it goes. */
export abstract class Part extends HTMLElement {
  #stops: Stop[] = [];

  /** Called each time the part comes into the page. */
  abstract begin(): void;

  /** Stops something together with the part. */
  whileShown(...stops: Stop[]): void {
    this.#stops.push(...stops);
  }

  /** Listens while the part is shown. */
  hear(target: EventTarget, kind: string, act: () => void): void {
    target.addEventListener(kind, act);
    this.whileShown(() => target.removeEventListener(kind, act));
  }

  /** Repeats something while the part is shown. */
  each(milliseconds: number, act: () => void): void {
    const timer = setInterval(act, milliseconds);
    this.whileShown(() => clearInterval(timer));
  }

  connectedCallback(): void {
    this.begin();
  }

  disconnectedCallback(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }
}
