/** The per-frame scores of several jobs: one table with a column per job. */
import type { Credentials, Job } from "../api/client.ts";
import { Column } from "../chart/data/column.ts";
import { FrameTable } from "../chart/data/frame-table.ts";
import { FrameLoader } from "../job/frames/frame-loader.ts";

export const DIFFERENCE = "difference";

export interface Line {
  readonly id: string;
  /** The name of its column. */
  readonly column: string;
}

/** The definition of an overlay. */
export interface OverlayParts {
  readonly lines: readonly Line[];
  readonly metric: string;
  /** Number of frames, the same for every job. */
  readonly total: number;
  /** One frame in `step` is scored. */
  readonly step: number;
}

export interface OverlayState {
  readonly isLoading: boolean;
  readonly error: Error | undefined;
}

export class Overlay {
  readonly table: FrameTable;
  readonly #metric: string;
  readonly #members: readonly { readonly line: Line; readonly loader: FrameLoader }[];
  readonly #watchers = new Set<() => void>();
  #state: OverlayState = { isLoading: false, error: undefined };
  #jobs: readonly Job[] = [];
  #difference: readonly [string, string] | undefined;
  #stops: (() => void)[] = [];

  constructor(credentials: Credentials, { lines, metric, total, step }: OverlayParts) {
    this.table = new FrameTable(total, step);
    this.#metric = metric;
    const keeps = (name: string) => name === metric;
    this.#members = lines.map((line) => ({ line, loader: new FrameLoader(credentials, line.id, keeps) }));
  }

  get state(): OverlayState {
    return this.#state;
  }

  /** Loads while there are watchers. Returns the function that stops watching. */
  watch(look: () => void): () => void {
    this.#watchers.add(look);
    if (this.#watchers.size === 1) this.#start();
    return () => {
      this.#watchers.delete(look);
      if (this.#watchers.size > 0) return;
      for (const stop of this.#stops) stop();
      this.#stops = [];
    };
  }

  /** Takes the current state of the jobs; newly scored frames are loaded. */
  follow(jobs: readonly Job[]): void {
    this.#jobs = jobs;
    if (this.#watchers.size > 0) this.#load();
  }

  /** Adds a column with the second column minus the first; undefined: none. */
  subtract(columns: readonly [string, string] | undefined): void {
    this.#difference = columns;
    this.#fillDifference();
  }

  #start(): void {
    this.#stops = this.#members.flatMap(({ line, loader }) => {
      let table: FrameTable | undefined;
      let unwatch = () => {};
      const take = () => this.#take(line, table);
      const look = () => {
        if (loader.loading.table !== table) {
          unwatch();
          table = loader.loading.table;
          unwatch = table?.watch(take) ?? (() => {});
          take();
        }
        this.#tell();
      };
      const stop = loader.watch(look);
      look();
      return [stop, () => unwatch()];
    });
    this.#load();
  }

  #load(): void {
    for (const { line, loader } of this.#members) {
      const job = this.#jobs.find(({ id }) => id === line.id);
      if (job !== undefined) loader.follow(job);
    }
  }

  #take({ column: name }: Line, table: FrameTable | undefined): void {
    const column = table?.column(this.#metric);
    if (column === undefined || table?.total !== this.table.total) return;
    this.table.adopt(name, column);
    if (this.#difference?.includes(name)) this.#fillDifference();
  }

  #fillDifference(): void {
    const [one, other] = (this.#difference ?? []).map((name) => this.table.column(name));
    if (one === undefined || other === undefined) return;
    const { rows } = this.table;
    const column = new Column(rows);
    for (let row = 0; row < rows; row++) column.set(row, other.at(row) - one.at(row));
    column.commit(0, rows);
    this.table.adopt(DIFFERENCE, column);
  }

  #tell(): void {
    const states = this.#members.map(({ loader }) => loader.loading);
    const isLoading = states.some((state) => state.isLoading);
    const error = states.find((state) => state.error !== undefined)?.error;
    if (isLoading === this.#state.isLoading && error === this.#state.error) return;
    this.#state = { isLoading, error };
    for (const look of this.#watchers) look();
  }
}
