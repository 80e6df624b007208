// Boxes along the axes.

/** A box along the axes; without content, `low` is above `high`. */
export interface Box {
  readonly low: [number, number, number];
  readonly high: [number, number, number];
}

export function empty(): Box {
  return { low: [Infinity, Infinity, Infinity], high: [-Infinity, -Infinity, -Infinity] };
}

export function grow({ low, high }: Box, points: ArrayLike<number>, at: number): void {
  for (const axis of [0, 1, 2] as const) {
    low[axis] = Math.min(low[axis], points[at + axis] ?? Infinity);
    high[axis] = Math.max(high[axis], points[at + axis] ?? -Infinity);
  }
}

export function union(boxes: readonly Box[]): Box {
  const all = empty();
  for (const { low, high } of boxes) {
    grow(all, low, 0);
    grow(all, high, 0);
  }
  return all;
}

export function middle({ low, high }: Box): [number, number, number] {
  const of = (axis: 0 | 1 | 2): number => (low[axis] <= high[axis] ? low[axis] / 2 + high[axis] / 2 : 0);
  return [of(0), of(1), of(2)];
}

export function radius({ low, high }: Box): number {
  return low[0] <= high[0] ? Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]) / 2 : 0;
}
