/** What was found in both files, side by side, and what was made of it. */
import type { Job, Schemas } from "../api/client.ts";
import { rateOf } from "../chart/timecode.ts";
import { hasEnded } from "../jobs/job-facts.ts";
import { lasting } from "../ui/moments.ts";
import { rateText, sizeText } from "../ui/quantities.ts";
import { Scrolls } from "../ui/scrolls.tsx";
import { failedSides, type MediaInfo, type Sides } from "./media-info.ts";

/** As soon as the job is planned; of a pair that could not be compared the failure tells it. */
export function Media({ job }: { readonly job: Job }) {
  const { result } = job;
  const found = result ?? job.plan;
  if (found === undefined || failedSides(job) !== undefined) return null;
  const { reference, distorted, scaling, warnings } = found;
  const title = hasEnded(job) ? "What was compared" : "What is compared";
  return (
    <section className="card" aria-label={title}>
      <h2>{title}</h2>
      {warnings.length > 0 && (
        <ul className="warnings">
          {warnings.map(({ code, message }) => (
            <li key={`${code} ${message}`}>
              <code>{code}</code> <span>{message}</span>
            </li>
          ))}
        </ul>
      )}
      <MediaTable reference={reference} distorted={distorted} />
      <p className="quiet">
        {scaling === undefined
          ? "The distorted video is not scaled."
          : `The distorted video is scaled from ${size(scaling.fromWidth, scaling.fromHeight)} to ${size(scaling.toWidth, scaling.toHeight)} (${scaling.algorithm}).`}
        {result !== undefined && ` ${scorerText(result.scorer)}`}
      </p>
    </section>
  );
}

function scorerText({ program, version, libvmafVersion }: Schemas["ScorerInfo"]): string {
  return `Scored by ${program} ${version} with libvmaf ${libvmafVersion}.`;
}

export function MediaTable({ reference, distorted }: Sides) {
  return (
    <Scrolls label="What was found in both files">
      <table className="media">
        <caption className="hidden">What was found in both files; what differs is marked</caption>
        <thead>
          <tr>
            <th>Found</th>
            <th>Reference</th>
            <th>Distorted</th>
          </tr>
        </thead>
        <tbody>
          {rowsOf(reference, distorted).map(([name, one, other]) => (
            <tr key={name} className={one === other ? "" : "differs"}>
              <th scope="row">{name}</th>
              <td>
                <bdi>{one}</bdi>
              </td>
              <td>
                <bdi>{other}</bdi>
                {one !== other && <span className="hidden"> (differs)</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolls>
  );
}

type Line = readonly [name: string, reference: string, distorted: string];

function rowsOf(reference: MediaInfo, distorted: MediaInfo): Line[] {
  const line = (name: string, text: (media: MediaInfo) => string): Line => [
    name,
    text(reference),
    text(distorted),
  ];
  /** What not every file tells, and results of earlier versions do not: no line when neither side has it. */
  const known = (
    name: string,
    of: (media: MediaInfo) => number | undefined,
    text: (value: number) => string,
  ): Line[] => {
    if (of(reference) === undefined && of(distorted) === undefined) return [];
    const told = (media: MediaInfo) => {
      const value = of(media);
      return value === undefined ? "not told" : text(value);
    };
    return [line(name, told)];
  };
  return [
    line("Container", ({ container }) => container),
    line("Codec", ({ codec }) => codec),
    line("Size", ({ width, height }) => size(width, height)),
    ...(reference.sampleAspectRatio || distorted.sampleAspectRatio
      ? [line("Sample aspect ratio", ({ sampleAspectRatio }) => sampleAspectRatio || "not told")]
      : []),
    line("Pixel format", ({ pixelFormat }) => pixelFormat),
    line("Bits per sample", ({ bitDepth }) => String(bitDepth)),
    line("Frame rate", ({ frameRate }) => paceText(frameRate)),
    line("Frames", ({ frames }) => frames.toLocaleString("en-US")),
    ...known("Duration", ({ duration }) => duration, lasting),
    ...known("File", ({ bytes }) => bytes, sizeText),
    ...known("Bit rate of the file", ({ bitRate }) => bitRate, rateText),
    line("Colour range", ({ colorRange }) => colorRange || "not told"),
    line("Rotation", ({ rotation }) => `${rotation}°`),
  ];
}

/** "25 fps", and of a rate that is no whole number its fraction too: "29.97 fps (30000/1001)". */
function paceText(fraction: string): string {
  const rate = rateOf(fraction);
  if (rate === undefined) return "not told";
  const text = `${Number(rate.toFixed(3))} fps`;
  return Number.isInteger(rate) ? text : `${text} (${fraction})`;
}

function size(width: number, height: number): string {
  return `${width} × ${height}`;
}
