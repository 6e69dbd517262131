/**
 * Finds the cheapest monotonic alignment of two videos within a band of offsets. Prices have the unit of the costs:
 * natural logarithms of squared distances.
 */
import type { Run } from "../../contract/alignment.ts";
import { type Band, counterparts } from "./band.ts";

/** Price of a change of the offset. Empirical. */
const STEP = 2.5;
/**
 * Price of each frame without a counterpart. A frame of the reference also costs what its match usually costs.
 * Empirical.
 */
const SKIP = 0.03;
/** Rows of a block. Most blocks have one offset, so the lowest mean cost of a block is what its matches cost. */
const BLOCK = 16;
/** Price of starting with a frame other than the first one on one side. Empirical. */
const START = 1;

/** How the cheapest path reaches a pair of frames, as bits. */
const FROM_GAP = { none: 0, lost: 1, added: 2, start: 3 } as const;
const FROM = 3;
const LOST_GOES_ON = 4;
const ADDED_GOES_ON = 8;

/** Returns the runs of the cheapest path; none if the band has no pair. `costs` are those of pairs of frames. */
export function cheapestRuns(costs: Band): Run[] {
  const search = new Search(costs);
  for (let row = 0; row < costs.rows; row++) search.row(row);
  return search.trace();
}

/**
 * Gotoh's alignment with affine gap costs. Each pair of frames (n, m) has three prices: n matches m; n is lost, and m
 * was the last match; m is added, and n was the last match.
 */
class Search {
  readonly #costs: Band;
  /** Price of leaving out each row, which must not be lower than that of a match. */
  readonly #lose: Float64Array;
  /** Price of leaving out all rows before each row. */
  readonly #loseBefore: Float64Array;
  readonly #ways: Uint8Array;
  #match: Float64Array;
  #lost: Float64Array;
  #added: Float64Array;
  #best = { price: Number.POSITIVE_INFINITY, row: -1, index: -1 };

  constructor(costs: Band) {
    this.#costs = costs;
    this.#lose = usualCosts(costs).map((cost) => cost + SKIP);
    this.#loseBefore = sumsBefore(this.#lose);
    this.#ways = new Uint8Array(costs.rows * costs.width);
    const blank = () => new Float64Array(costs.width + 1).fill(Number.POSITIVE_INFINITY);
    [this.#match, this.#lost, this.#added] = [blank(), blank(), blank()];
  }

  row(row: number): void {
    const { width, lowest, rows, columns, values } = this.#costs;
    const [match, lost, added] = [this.#match, this.#lost, this.#added].map((before) => before.slice()) as [
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    const { first, end } = counterparts(this.#costs, row);
    this.#match.fill(Number.POSITIVE_INFINITY);
    this.#lost.fill(Number.POSITIVE_INFINITY);
    this.#added.fill(Number.POSITIVE_INFINITY);
    for (let index = first; index < end; index++) {
      const place = row * width + index;
      const column = row + lowest + index;
      const start = row === 0 || column === 0 ? this.#startPrice(row, column) : Number.POSITIVE_INFINITY;
      let [price, way]: [number, number] = [match[index] as number, FROM_GAP.none];
      if ((lost[index] as number) < price) [price, way] = [lost[index] as number, FROM_GAP.lost];
      if ((added[index] as number) < price) [price, way] = [added[index] as number, FROM_GAP.added];
      if (start <= price) [price, way] = [start, FROM_GAP.start];
      const cost = values[place] as number;
      price += Number.isNaN(cost) ? 0 : cost;
      this.#match[index] = price;
      way |= this.#gaps(index, match, lost, this.#lose[row] as number);
      this.#ways[place] = way;
      if (row === rows - 1 || column === columns - 1) this.#end(price, row, index);
    }
  }

  #startPrice(row: number, column: number): number {
    return row === column ? 0 : START + (this.#loseBefore[row] as number);
  }

  #end(pricePaid: number, row: number, index: number): void {
    const left = (this.#loseBefore[this.#costs.rows] as number) - (this.#loseBefore[row + 1] as number);
    const price = pricePaid + left;
    if (price < this.#best.price) this.#best = { price, row, index };
  }

  /**
   * Sets the prices of gaps that end at this pair. A lost row stays at its column, so the offset of the previous row
   * was greater by one.
   */
  #gaps(index: number, matchBefore: Float64Array, lostBefore: Float64Array, lose: number): number {
    let way = 0;
    const opened = (matchBefore[index + 1] as number) + STEP + lose;
    const longer = (lostBefore[index + 1] as number) + lose;
    this.#lost[index] = Math.min(opened, longer);
    if (longer < opened) way |= LOST_GOES_ON;
    if (index === 0) return way;
    const begun = (this.#match[index - 1] as number) + STEP + SKIP;
    const longerAdded = (this.#added[index - 1] as number) + SKIP;
    this.#added[index] = Math.min(begun, longerAdded);
    return longerAdded < begun ? way | ADDED_GOES_ON : way;
  }

  trace(): Run[] {
    const runs: Run[] = [];
    let { row, index } = this.#best;
    let count = 0;
    while (row >= 0) {
      count++;
      const way = this.#wayAt(row, index) & FROM;
      if (way !== FROM_GAP.none) {
        runs.unshift({ reference: row, distorted: row + this.#costs.lowest + index, count });
        count = 0;
      }
      if (way === FROM_GAP.start) break;
      row--;
      if (way === FROM_GAP.lost) {
        while (this.#wayAt(row, index) & LOST_GOES_ON) [row, index] = [row - 1, index + 1];
        [row, index] = [row - 1, index + 1];
      } else if (way === FROM_GAP.added) {
        while (this.#wayAt(row, index) & ADDED_GOES_ON) index--;
        index--;
      }
    }
    return runs;
  }

  #wayAt(row: number, index: number): number {
    return this.#ways[row * this.#costs.width + index] as number;
  }
}

/**
 * What a match usually costs around each row. Because of noise, the right match is not always the best match of a
 * row.
 */
function usualCosts(costs: Band): Float64Array {
  const blocks = Array.from({ length: Math.ceil(costs.rows / BLOCK) }, (_, block) => leastMean(costs, block));
  const around = blocks.map((cost, block) => Math.max(cost, blocks[block - 1] ?? 0, blocks[block + 1] ?? 0));
  return Float64Array.from({ length: costs.rows }, (_, row) => around[Math.floor(row / BLOCK)] as number);
}

function sumsBefore(values: Float64Array): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (let index = 0; index < values.length; index++)
    sums[index + 1] = (sums[index] as number) + (values[index] as number);
  return sums;
}

/** Lowest mean cost of a block's rows at one offset. */
function leastMean({ rows, width, values }: Band, block: number): number {
  const first = block * BLOCK;
  const end = Math.min(rows, first + BLOCK);
  let least = Number.POSITIVE_INFINITY;
  for (let index = 0; index < width; index++) {
    let total = 0;
    for (let row = first; row < end; row++) total += values[row * width + index] as number;
    if (total < least) least = total;
  }
  return Number.isFinite(least) ? least / (end - first) : 0;
}
