// The data of the page, as `clearance` writes it (crates/clearance-view/src).
//
// Two parts: JSON for text and small data, and one block of bytes for the rest. Lengths of findings are in `unit`;
// geometries and poses are as they were tested, and `scale` converts them to that unit.

export type Vector = readonly [number, number, number];
/** Where something lies in the block of bytes: the first byte, and how many elements there are. */
export type Section = readonly [offset: number, count: number];
/** A number with its proof: `lower <= truth <= upper`. */
export interface Bracket {
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
}

export type Kind = "hard" | "duplicate" | "clearance" | "touching" | "measured";
export const KINDS: readonly Kind[] = ["hard", "duplicate", "clearance", "touching", "measured"];

interface PackedSurface {
  /** A point is `centre + size * (x, y, z)`. */
  readonly centre: Vector;
  readonly size: number;
  readonly points: Section;
  readonly triangles: Section;
}

export interface Finding {
  readonly id: string;
  readonly kind: Kind;
  readonly a: number;
  readonly b: number;
  /** Findings with the same title are shown together. */
  readonly group: string;
  readonly sentence: string;
  readonly gap: Bracket | null;
  readonly depth: Bracket | null;
  readonly volume: Bracket | null;
  readonly points: readonly [Vector, Vector] | null;
  readonly loops: readonly { readonly closed: boolean; readonly points: Section }[];
  /** Moving B by this leaves the two apart or touching. */
  readonly way_out: Vector | null;
  readonly overlap: PackedSurface | null;
  /** The number of the frame in which this was found. */
  readonly frame: number | null;
  readonly details: readonly (readonly [string, string])[];
}

export interface Timeline {
  readonly label: string;
  readonly times: readonly number[];
  /** A pose for every time: twelve numbers each, the rows of a 3x4 matrix. */
  readonly tracks: readonly { readonly part: number; readonly poses: Section }[];
}

/** A part whose points move on straight lines, from those of its geometry at time 0 to these at time 1. No other part
 * uses that geometry. */
export interface PackedDeformation {
  readonly part: number;
  /** About the centre of the geometry, in units of its size. */
  readonly end: Section;
}

/** Points about a centre: `centre + size * (x, y, z)`. */
export interface PackedPoints {
  readonly centre: Vector;
  readonly size: number;
  readonly points: Section;
}

/** A tree over a part, node by node. */
export interface PackedTree {
  readonly part: number;
  readonly name: string;
  readonly levels: readonly number[];
  /** 1 for a leaf. */
  readonly leaves: readonly number[];
  /** 0 opened, 1 pruned in every pair, 2 in no pair that was visited. */
  readonly states: readonly number[];
  /** How many segments outline each node. */
  readonly segments: readonly number[];
  /** The ends of the segments in the frame of the part's geometry, two for each. */
  readonly ends: PackedPoints;
}

/** Trees over one or two parts, and the pairs of nodes that a query visited. */
export interface PackedTrees {
  readonly trees: readonly PackedTree[];
  /** Six numbers for each visit: both nodes; 0 opened, 1 pruned, 2 tested, 3 dropped, 4 waiting; pairs of triangles;
   * bound; limit. */
  readonly visits: Section;
}

/** Text in rows: what is allowed, what was repaired. */
export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface Data {
  readonly version: number;
  readonly title: string;
  readonly verdict: string;
  readonly summary: readonly string[];
  readonly notes: readonly string[];
  readonly tables: readonly Table[];
  readonly unit: string | null;
  readonly scale: number;
  readonly up: 0 | 1 | 2;
  readonly geometries: readonly PackedSurface[];
  readonly parts: readonly { readonly name: string; readonly geometry: number | null }[];
  /** Twelve numbers for every part. */
  readonly poses: Section;
  readonly findings: readonly Finding[];
  readonly timeline: Timeline | null;
  readonly deformations: readonly PackedDeformation[];
  readonly trees: PackedTrees | null;
}

/** A surface about its centre, in units of its size. */
export interface Surface {
  readonly centre: Vector;
  readonly size: number;
  /** Three numbers for each point. */
  readonly points: Float32Array;
  /** Three numbers for each triangle. */
  readonly triangles: Uint32Array;
}

/** The block of bytes, unpacked. */
export class Bytes {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** From base64 of what deflate made. */
  static async unpack(text: string): Promise<Bytes> {
    const letters = atob(text);
    const packed = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; i++) packed[i] = letters.charCodeAt(i);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return new Bytes(new Uint8Array(await new Response(stream).arrayBuffer()));
  }

  doubles([offset, count]: Section): Float64Array {
    return new Float64Array(this.#bytes.slice(offset, offset + 8 * count).buffer);
  }

  surface(packed: PackedSurface): Surface {
    return {
      centre: packed.centre,
      size: packed.size,
      points: this.points(packed.points),
      triangles: this.#triangles(packed.triangles),
    };
  }

  /** Coordinates by axis, the four bytes of each number apart: so they deflate well. */
  points([offset, count]: Section): Float32Array {
    const numbers = 3 * count;
    const words = new Uint32Array(numbers);
    for (let place = 0; place < 4; place++) {
      const plane = offset + place * numbers;
      for (let axis = 0; axis < 3; axis++) {
        for (let i = 0; i < count; i++) {
          const word = 3 * i + axis;
          words[word] = (words[word] ?? 0) | ((this.#bytes[plane + axis * count + i] ?? 0) << (8 * place));
        }
      }
    }
    return new Float32Array(words.buffer);
  }

  /** Each corner less the one before, the sign in the lowest bit, seven bits to a byte. */
  #triangles([offset, count]: Section): Uint32Array {
    const corners = new Uint32Array(3 * count);
    let at = offset;
    let corner = 0;
    for (let i = 0; i < corners.length; i++) {
      let word = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = this.#bytes[at++] ?? 0;
        word += (byte & 127) * 2 ** shift;
        if (byte < 128) break;
      }
      corner += word % 2 === 0 ? word / 2 : -(word + 1) / 2;
      corners[i] = corner;
    }
    return corners;
  }
}

/** The name of a part without the number of the instance. */
export function family(name: string): string {
  return name.replace(/#\d+$/, "");
}

/** The last word of a path of names. */
export function lastName(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1) || name;
}

/** A number with about four digits that count. */
export function short(value: number): string {
  if (value === 0) return "0";
  const magnitude = Math.abs(value);
  if (magnitude < 1e-4 || magnitude >= 1e7) return value.toExponential(2);
  const digits = Math.min(8, Math.max(0, 3 - Math.floor(Math.log10(magnitude))));
  const text = value.toFixed(digits);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}
