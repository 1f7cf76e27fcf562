// The beginnings of files that browsers draw as pictures, and in which nothing can run.
const kinds: [type: string, pattern: RegExp][] = [
  ["image/png", /^\x89PNG\r\n\x1a\n/], ["image/jpeg", /^\xff\xd8\xff/], ["image/gif", /^GIF8[79]a/], ["image/webp", /^RIFF.{4}WEBP/s],
];

/** An address of this page's for a picture that somebody else has made; null if it is none that a browser draws. */
export function pictureAddress(bytes: Uint8Array): string | null {
  const beginning = String.fromCharCode(...bytes.subarray(0, 16));
  const type = kinds.find(([, pattern]) => pattern.test(beginning))?.[0];
  return type ? URL.createObjectURL(new Blob([bytes], { type })) : null;
}
