import { element } from "../library/element";

/** Has the browser keep a file, as if somebody had followed a link to it.
 *  @param name what the file is called; the browser takes what it allows of it */
export function download(name: string, file: Blob): void {
  const address = URL.createObjectURL(file);
  element("a", { download: name, href: address }).click();
  // The browser has the file by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
