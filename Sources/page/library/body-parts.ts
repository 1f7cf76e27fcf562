import { plain } from "./element";
import { say, type Word } from "./words";

/** Where sensors are worn, and where temperatures are measured, under the service's names. */
const words: Record<string, Word> = {
  chest: "partChest", wrist: "partWrist", finger: "partFinger", hand: "partHand", "ear-lobe": "partEarLobe", foot: "partFoot", armpit: "partArmpit", body: "partBody",
  ear: "partEar", "gastro-intestinal": "partBowels", mouth: "partMouth", rectum: "partRectum", toe: "partToe", tympanum: "partTympanum",
};

/** A part of the body, in words; undefined for "other", of which nothing is known. */
export function bodyPart(name: string): string | undefined {
  if (name === "other") return undefined;
  const word = words[name];
  return word ? say(word) : plain(name);
}
