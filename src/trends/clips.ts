/** Groups jobs of different releases that are about the same clip. */
import { fileName } from "../jobs/text/file-name.ts";

/** A scored job of a release. */
export interface ReleaseJob {
  readonly id: string;
  readonly release: string;
  readonly reference: string;
  readonly distorted: string;
  /** Labels other than that of the release. */
  readonly labels: Readonly<Record<string, string>>;
  /** Values of the metric by statistic, such as mean or p5. */
  readonly values: Readonly<Record<string, number>>;
}

export interface Clip {
  readonly name: string;
  /** Names the reference: several encodes of it are several clips. */
  readonly source: string;
  /** Jobs by release. */
  readonly jobs: ReadonlyMap<string, ReleaseJob>;
}

/** Facts that may distinguish the clips of a release, in the order of preference. */
const KEYS: readonly ((job: ReleaseJob) => readonly string[])[] = [
  (job) => [fileName(job.reference)],
  (job) => [fileName(job.reference), fileName(job.distorted)],
  (job) => [fileName(job.reference), withoutRelease(job)],
  (job) => [fileName(job.reference), labelText(job)],
  (job) => [fileName(job.reference), fileName(job.distorted), labelText(job)],
  (job) => [fileName(job.reference), withoutRelease(job), labelText(job)],
];
const LAST_KEY = (job: ReleaseJob) => [job.reference, withoutRelease(job), labelText(job)];

/**
 * Groups jobs to clips, in the order of their names. If a release has several jobs for the same pair, the
 * first one counts, so the latest should come first. A clip is a reference. If a release has several encodes
 * of it, these are distinguished by their file names or by their labels, depending on which finds more clips
 * that several releases have. The release's own name within a file name is ignored.
 */
export function clipsOf(jobs: readonly ReleaseJob[]): readonly Clip[] {
  const latest = distinct(jobs, ({ reference, distorted, release }) => [release, reference, distorted]);
  const found = KEYS.filter((key) => isUnique(latest, key)).map((key) => grouped(latest, key));
  const [first = grouped(latest, LAST_KEY), ...others] = found;
  const best = others.reduce((one, other) => (matchesIn(other) > matchesIn(one) ? other : one), first);
  return best.toSorted((one, other) => one.name.localeCompare(other.name, "en", { numeric: true }));
}

function grouped(jobs: readonly ReleaseJob[], key: (job: ReleaseJob) => readonly string[]): readonly Clip[] {
  const groups = Map.groupBy(jobs, (job) => nameOf(key(job)));
  return [...groups].map(([name, own]) => {
    const [source = ""] = own.flatMap((job) => key(job).slice(0, 1));
    return { name, source, jobs: byRelease(own) };
  });
}

/** Returns the number of clips that several releases have. */
function matchesIn(clips: readonly Clip[]): number {
  return clips.filter(({ jobs }) => jobs.size > 1).length;
}

function byRelease(jobs: readonly ReleaseJob[]): ReadonlyMap<string, ReleaseJob> {
  return new Map(jobs.toReversed().map((job) => [job.release, job]));
}

function isUnique(jobs: readonly ReleaseJob[], key: (job: ReleaseJob) => readonly string[]): boolean {
  return distinct(jobs, (job) => [job.release, ...key(job)]).length === jobs.length;
}

/** Returns the first job of each key. */
function distinct(
  jobs: readonly ReleaseJob[],
  key: (job: ReleaseJob) => readonly string[],
): readonly ReleaseJob[] {
  const byKey = new Map(jobs.toReversed().map((job) => [textOf(key(job)), job]));
  return jobs.filter((job) => byKey.get(textOf(key(job))) === job);
}

const textOf = (parts: readonly string[]) => parts.join("\0");
const nameOf = (parts: readonly string[]) => parts.filter((part) => part !== "").join(" · ");

function labelText({ labels }: Pick<ReleaseJob, "labels">): string {
  const keys = Object.keys(labels).sort();
  return keys.map((key) => `${key}=${labels[key]}`).join(", ");
}

/** The file name of the encode, with "*" in place of the release: "film-r7.mp4" and "film-r8.mp4" are one clip. */
function withoutRelease({ distorted, release }: ReleaseJob): string {
  return fileName(distorted).replace(nameOfRelease(release), "*");
}

/** Within a longer number or word it does not name the release: 7 in 1072p, main in domain. */
function nameOfRelease(release: string): RegExp {
  const [before, after] = [runOf(release.at(0)), runOf(release.at(-1))];
  const name = release.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&");
  return new RegExp(`(?<!${before})${name}(?!${after})`, "gu");
}

/** Returns a pattern of the characters that would continue a number or word; one that matches nothing for others. */
function runOf(character = ""): string {
  return ["\\d", "\\p{L}"].find((run) => new RegExp(run, "u").test(character)) ?? "[]";
}
