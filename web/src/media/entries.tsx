/** The entries of one folder: a table whose rows are chosen by click, or by arrow keys and Enter. */
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { resolutionText, sizeText } from "../../../src/jobs/quantities.ts";
import type { Schemas } from "../api/client.ts";
import { formatDuration, formatInstant } from "../ui/moments.ts";
import { fitsInLine, lastPart } from "./folders.ts";

export type MediaEntry = Schemas["MediaEntry"];

interface EntriesProps {
  readonly folder: string;
  readonly entries: readonly MediaEntry[];
  readonly chosen: readonly string[];
  /** Whether several files can be chosen. */
  readonly isMany: boolean;
  /** Whether the headers of files were requested. */
  readonly isProbed: boolean;
  readonly open: (folder: string) => void;
  readonly choose: (file: string) => void;
}

/** The keys that move between rows, and by how many. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 10,
  PageUp: -10,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

export function Entries(props: EntriesProps) {
  const { entries, isProbed } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const [current, setCurrent] = useState(0);
  useEffect(() => body.current?.querySelector("button")?.focus(), []);
  const move = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    const buttons = [...(body.current?.querySelectorAll("button") ?? [])];
    if (step === undefined || buttons.length === 0) return;
    event.preventDefault();
    const next = Math.min(buttons.length - 1, Math.max(0, current + step));
    setCurrent(next);
    buttons[next]?.focus();
  };
  return (
    <table className="media-entries">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col" className="number">
            Size
          </th>
          <th scope="col">Changed</th>
          {isProbed && <th scope="col">Video</th>}
        </tr>
      </thead>
      <tbody ref={body} onKeyDown={move}>
        {entries.map((entry, index) => (
          <Row
            key={entry.name}
            {...props}
            entry={entry}
            isCurrent={index === current}
            focused={() => setCurrent(index)}
          />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps extends Omit<EntriesProps, "entries"> {
  readonly entry: MediaEntry;
  /** Whether the Tab key focuses it. */
  readonly isCurrent: boolean;
  readonly focused: () => void;
}

function Row({ entry, folder, chosen, isMany, isProbed, open, choose, isCurrent, focused }: RowProps) {
  const { name, kind, size, modifyTime } = entry;
  const isFolder = kind === "FOLDER";
  const why = whyNot(entry);
  const act = () => {
    if (why !== undefined) return;
    if (isFolder) open(name);
    else choose(name);
  };
  return (
    <tr>
      <td>
        <button
          type="button"
          className="media-entry"
          tabIndex={isCurrent ? 0 : -1}
          aria-disabled={why !== undefined}
          aria-pressed={isMany && !isFolder && why === undefined ? chosen.includes(name) : undefined}
          title={why ?? name}
          onFocus={focused}
          onClick={act}
        >
          <bdi className={isFolder ? "media-name-folder" : undefined}>{lastPart(name, folder)}</bdi>
        </button>
      </td>
      <td className="number">{size === undefined ? "" : sizeText(size)}</td>
      <td>{modifyTime === undefined ? "" : formatInstant(modifyTime)}</td>
      {isProbed && <td className="media-probe">{kind === "FILE" ? probeText(entry) : ""}</td>}
    </tr>
  );
}

/** "h264 · 1920×1080 · 25 fps · 42 s". */
function probeText({ probe }: MediaEntry): string {
  if (probe === undefined) return "not probed";
  const { codec, width, height, frameRate, duration } = probe;
  const rate = frameRate === undefined ? [] : [`${Number(frameRate.toFixed(2))} fps`];
  const length = duration === undefined ? [] : [formatDuration(duration)];
  return [codec, resolutionText(width, height), ...rate, ...length].join(" · ");
}

/** Returns the reason why an entry cannot be chosen; undefined if it can. */
function whyNot({ name, kind }: MediaEntry): string | undefined {
  if (kind === "WEB_SERVER")
    return "Files of a web server cannot be listed: close this, and enter the URL of one.";
  return fitsInLine(name) ? undefined : "The name ends with a space, which the form would remove.";
}
