/** Times contenders in turns, A B C A B C …, so that drifting machine speed affects all equally. */
import { readFile } from "node:fs/promises";

export interface Contender {
  readonly name: string;
  /** The process whose CPU time counts; default: this one. */
  readonly pid?: number;
  /** One run. */
  run(): Promise<void>;
}

export interface Timing {
  readonly name: string;
  /** Wall-clock times in milliseconds. */
  readonly times: readonly number[];
  /** CPU times in milliseconds, of the contender's process and of its children that ended during the run. */
  readonly cpu: readonly number[];
  readonly median: number;
}

/** Runs one warm-up round, then `rounds` timed rounds. */
export async function interleave(
  contenders: readonly Contender[],
  rounds: number,
): Promise<readonly Timing[]> {
  const all = contenders.map(({ name }) => ({ name, times: [] as number[], cpu: [] as number[] }));
  for (let round = 0; round <= rounds; round++) {
    for (const [index, contender] of contenders.entries()) {
      const { pid } = contender;
      const [started, spent] = [performance.now(), await cpuTime(pid)];
      await contender.run();
      if (round === 0) continue;
      all[index]?.times.push(performance.now() - started);
      all[index]?.cpu.push((await cpuTime(pid)) - spent);
    }
    process.stderr.write(`round ${round} of ${rounds}\n`);
  }
  return all.map((timing) => ({ ...timing, median: median(timing.times) }));
}

/** Linux counts CPU time in /proc in hundredths of a second (USER_HZ). */
const TICK_MS = 10;

/** Returns the CPU time of a process and its ended children, in milliseconds (proc(5): utime to cstime). */
export async function cpuTime(pid = process.pid): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field) * TICK_MS, 0);
}

/** Prints CPU times like printTimings: for children of this process, this process itself, or contenders with a pid. */
export function printCpu(title: string, timings: readonly Timing[]): void {
  printTimings(
    title,
    timings.map(({ name, cpu }) => ({ name, times: cpu, cpu, median: median(cpu) })),
  );
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
