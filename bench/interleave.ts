/** Times contenders in turns, A B C A B C …, so that drifting machine speed affects all equally. */

export interface Contender {
  readonly name: string;
  /** One run. */
  run(): Promise<void>;
}

export interface Timing {
  readonly name: string;
  readonly times: readonly number[];
  readonly median: number;
}

/** Runs one warm-up round, then `rounds` timed rounds. */
export async function interleave(
  contenders: readonly Contender[],
  rounds: number,
): Promise<readonly Timing[]> {
  const times = new Map(contenders.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round <= rounds; round++) {
    for (const contender of contenders) {
      const started = performance.now();
      await contender.run();
      if (round > 0) times.get(contender.name)?.push(performance.now() - started);
    }
    process.stderr.write(`round ${round} of ${rounds}\n`);
  }
  return [...times].map(([name, taken]) => ({ name, times: taken, median: median(taken) }));
}

/** Prints rows with median, minimum and maximum, and the median of the ratios to the first contender per round. */
export function printTimings(title: string, timings: readonly Timing[]): void {
  const [base] = timings;
  console.log(`\n${title}`);
  for (const timing of timings) {
    const { name, times, median: middle } = timing;
    const range = `${milliseconds(Math.min(...times))} … ${milliseconds(Math.max(...times))}`;
    console.log(
      `  ${name.padEnd(28)} median ${milliseconds(middle).padStart(10)}   (${range})   ratio ${ratioOf(timing, base).toFixed(3)}`,
    );
  }
}

/** Returns the median of the ratios of each round. */
export function ratioOf({ times }: Timing, base: Timing | undefined): number {
  return median(times.map((time, round) => time / (base?.times[round] ?? time)));
}

export function milliseconds(value: number): string {
  return `${value.toFixed(value < 100 ? 2 : 0)} ms`;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
