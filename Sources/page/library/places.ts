// Places on the ground, and how far it is from one to another. Within what people look at, the ground is as good as flat.

/** Degrees north and east. */
export type Place = readonly [latitude: number, longitude: number];

/** A piece of ground: a circle with a radius in metres, or a polygon. */
export type Shape = { middle: Place; radius: number } | { corners: readonly Place[] };

/** Metres of a degree of latitude. */
export const degree = 111_320;

/** How much shorter a degree of longitude is at a latitude. */
export function squeeze(latitude: number): number {
  return Math.max(0.01, Math.cos(latitude * (Math.PI / 180)));
}

/** The shorter way around between two longitudes, in degrees east. */
export function turn(from: number, to: number): number {
  return ((to - from + 540) % 360 + 360) % 360 - 180;
}

/** Metres east and north of a place. */
export function offset(from: Place, to: Place): [east: number, north: number] {
  return [turn(from[1], to[1]) * squeeze((from[0] + to[0]) / 2) * degree, (to[0] - from[0]) * degree];
}

export function metresBetween(from: Place, to: Place): number {
  return Math.hypot(...offset(from, to));
}

/** How far a place is from a shape, in metres; 0 within it. */
export function metresOutside(shape: Shape, place: Place): number {
  if ("middle" in shape) return Math.max(0, metresBetween(shape.middle, place) - shape.radius);
  const corners = shape.corners.map((corner) => offset(place, corner));
  let isInside = false, nearest = Infinity;
  for (const [at, [x, y]] of corners.entries()) {
    const [fromX, fromY] = corners[(at || corners.length) - 1] ?? [x, y];
    if (fromY > 0 !== y > 0 && x - (y * (x - fromX)) / (y - fromY) > 0) isInside = !isInside;
    const [wide, high] = [x - fromX, y - fromY];
    const share = Math.min(1, Math.max(0, -(fromX * wide + fromY * high) / (wide * wide + high * high || 1)));
    nearest = Math.min(nearest, Math.hypot(fromX + share * wide, fromY + share * high));
  }
  return isInside ? 0 : nearest;
}

/** Places that a picture has to have in it, so that the shape is. */
export function edges(shape: Shape): readonly Place[] {
  if ("corners" in shape) return shape.corners;
  const [latitude, longitude] = shape.middle;
  const high = shape.radius / degree, wide = high / squeeze(latitude);
  return [[latitude - high, longitude - wide], [latitude + high, longitude + wide]];
}

/** A place as people type it: a metre is the fifth digit. */
export function placeText([latitude, longitude]: Place): string {
  return `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
}

/** The places of a text such as `52.5, 13.4; 52.6, 13.4`; null if it is none. */
export function placesOf(text: string): Place[] | null {
  const places = text.split(";").map((part) => part.trim()).filter(Boolean).map((part): Place | null => {
    const [, latitude, longitude] = /^(-?\d+(?:\.\d+)?)(?:\s*,\s*|\s+)(-?\d+(?:\.\d+)?)$/.exec(part) ?? [];
    const place = [Number(latitude), Number(longitude)] as const;
    return Math.abs(place[0]) <= 90 && Math.abs(place[1]) <= 180 ? place : null;
  });
  return places.every((place) => place !== null) ? places as Place[] : null;
}
