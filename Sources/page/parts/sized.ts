import { Part } from "../library/part";

/** A part that is drawn for the width that it has, and again when it has another. */
export abstract class Sized extends Part {
  /** In CSS pixels; 0 while it is not known. */
  protected width = 0;

  abstract draw(): void;

  begin(): void {
    const observer = new ResizeObserver(([entry]) => {
      const width = Math.round(entry?.contentRect.width ?? 0);
      if (width === 0 || width === this.width) return;
      this.width = width;
      this.draw();
    });
    observer.observe(this);
    this.whileShown(() => observer.disconnect());
  }
}
