// What the page uses of Leaflet 1.7: Debian's package has no types.

declare module "*/leaflet.js" {
  type LatLng = readonly [latitude: number, longitude: number];

  interface Layer {
    addTo(owner: Map | LayerGroup): this;
    remove(): this;
    on(event: string, act: () => void): this;
  }
  interface PathOptions { className: string; interactive: false; stroke: boolean; fillOpacity: number; radius?: number }

  export class Map {
    constructor(element: HTMLElement, options: Record<string, unknown>);
    setView(centre: LatLng, zoom: number): this;
    fitBounds(bounds: LatLngBounds, options: Record<string, unknown>): this;
    invalidateSize(options: { pan: boolean }): this;
    zoomIn(): this;
    zoomOut(): this;
    panBy(offset: readonly [number, number], options?: { animate: boolean }): this;
    remove(): this;
    getCenter(): { lat: number; wrap(): { lat: number; lng: number } };
    getZoom(): number;
    latLngToContainerPoint(place: LatLng): { x: number; y: number };
    on(event: "click", act: (event: { latlng: { wrap(): { lat: number; lng: number } } }) => void): this;
    on(event: "move" | "movestart", act: () => void): this;
  }
  export class LatLngBounds {
    constructor(places: readonly LatLng[]);
    extend(bounds: LatLngBounds): this;
    isValid(): boolean;
  }
  export class LayerGroup implements Layer {
    addTo(owner: Map): this;
    remove(): this;
    on(event: string, act: () => void): this;
    clearLayers(): this;
  }
  export class GridLayer implements Layer {
    static extend(members: {
      createTile(at: { x: number; y: number; z: number }, done: (error: Error | null, tile: HTMLElement) => void): HTMLElement;
    }): NewGridLayer;
    addTo(owner: Map): this;
    remove(): this;
    on(event: string, act: () => void): this;
  }
  export type NewGridLayer = new (options: { maxNativeZoom: number; maxZoom: number }) => GridLayer;
  export class Polyline implements Layer {
    constructor(places: readonly LatLng[] | readonly (readonly LatLng[])[], options: PathOptions);
    addTo(owner: Map | LayerGroup): this;
    remove(): this;
    on(event: string, act: () => void): this;
  }
  export class Polygon extends Polyline {}
  /** A circle whose radius is in pixels. */
  export class CircleMarker implements Layer {
    constructor(place: LatLng, options: PathOptions);
    addTo(owner: Map | LayerGroup): this;
    remove(): this;
    on(event: string, act: () => void): this;
  }
  /** A circle whose radius is in metres. */
  export class Circle extends CircleMarker {}
  export class Icon {
    static extend(members: { createIcon(): HTMLElement; createShadow(): null }): new () => Icon;
  }
  export class Marker implements Layer {
    constructor(place: LatLng, options: { icon: Icon; interactive: false; keyboard: false });
    addTo(owner: Map | LayerGroup): this;
    remove(): this;
    on(event: string, act: () => void): this;
  }
}
