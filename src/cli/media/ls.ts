/** The command `svc media ls [UNDER]`. */
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Command } from "commander";
import {
  type MediaEntry,
  MediaEntry_Kind,
  MediaEntrySchema,
  type MediaProbe,
} from "../../gen/proto/svc/v1/media_pb.ts";
import { TenantService } from "../../gen/proto/svc/v1/tenant_pb.ts";
import { resolutionText, sizeText } from "../../jobs/quantities.ts";
import { PeopleCommand } from "../command.ts";
import { ALL, pagesOf, printList } from "../connection/pages.ts";
import {
  addServerOptions,
  jsonOption,
  type ServerFlags,
  serverGuide,
  withServer,
} from "../connection/server.ts";
import { instantText } from "../flags/instants.ts";
import { optional } from "../flags/optional.ts";
import { clock } from "../terminal/numbers.ts";
import { type TableColumn, tableLines } from "../terminal/table.ts";

/** Entries per page: a page is probed for a limited time. */
const PROBED_PAGE = 50;

interface LsFlags extends ServerFlags {
  readonly probe?: boolean;
}

const GUIDE = `
Examples:
  $ svc media ls
  $ svc media ls /srv/media/acme/encodes/
  $ svc media ls /srv/media/acme/encodes/ --probe
  $ svc media ls s3://acme-masters/2026/ --json | jq -r 'select(.kind == "FILE") | .name'

Names are printed as jobs name them. Those of folders end with a slash; the files of a web server (https://HOST/) can be
named, but not listed. --probe shows what the headers of files and objects say.

${serverGuide({ 2: "the folder does not exist, or jobs may not name what is in it" })}`;

export function lsCommand(): Command {
  const command = new PeopleCommand("svc media ls")
    .summary("list a folder, or the media roots and storages")
    .description(
      "Lists a folder that the controller sees: size, time of the last change, name. Without an argument, lists the media roots and storages of your tenant. Needs the role svc:writer.",
    )
    .argument("[under]", "a path, or s3://BUCKET/PREFIX")
    .addOption(optional("--probe", "also show codec, resolution, rate and duration of files", "off"))
    .addOption(jsonOption("one entry per line"))
    .withGuide(GUIDE);
  return addServerOptions(command).action((under: string | undefined, flags: LsFlags) =>
    withServer(flags, async (connection, signal) => {
      const { probe = false } = flags;
      let isRefused = false;
      const pages = pagesOf(async ({ pageSize, pageToken }) => {
        const size = probe ? Math.min(pageSize, PROBED_PAGE) : pageSize;
        const request = { under: under ?? "", pageSize: size, pageToken, probe };
        const page = await connection.call(TenantService.method.listMedia, request, { signal });
        isRefused ||= probe && !page.probed;
        return { things: page.entries, nextPageToken: page.nextPageToken };
      }, ALL);
      const columns = probe ? PROBED_COLUMNS : COLUMNS;
      const code = await printList(pages, {
        json: flags.json,
        schema: MediaEntrySchema,
        table: (entries, terminal, options) => tableLines(entries, columns, terminal, options),
        none: under === undefined ? "Your tenant has no media roots and no storages." : "Nothing.",
      });
      if (isRefused) process.stderr.write("The controller does not probe files.\n");
      return code;
    }),
  );
}

const SIZE: TableColumn<MediaEntry> = { heading: "SIZE", text: entrySize, atLeast: 7, align: "right" };
const CHANGED: TableColumn<MediaEntry> = {
  heading: "CHANGED",
  text: changeTime,
  atLeast: 20,
  dispensable: 1,
};
const NAME: TableColumn<MediaEntry> = { heading: "NAME", text: ({ name }) => name, atLeast: 0 };
const COLUMNS = [SIZE, CHANGED, NAME];
const VIDEO: TableColumn<MediaEntry> = {
  heading: "VIDEO",
  text: ({ probe }) => videoText(probe),
  atLeast: 7,
};
const PROBED_COLUMNS = [SIZE, CHANGED, VIDEO, NAME];

/** "h264 1920×1080 25 fps 0:42"; "-" if nothing is known. */
function videoText(probe: MediaProbe | undefined): string {
  if (probe === undefined) return "-";
  const { codec, width, height, frameRate, duration } = probe;
  const rate = frameRate === undefined ? [] : [`${Number(frameRate.toFixed(2))} fps`];
  const length = duration === undefined ? [] : [clock(Math.round(duration))];
  return [codec, resolutionText(width, height), ...rate, ...length].join(" ");
}

function entrySize({ kind, size }: MediaEntry): string {
  return kind === MediaEntry_Kind.FILE && size !== undefined ? sizeText(size) : "-";
}

function changeTime({ modifyTime }: MediaEntry): string {
  return modifyTime === undefined ? "-" : instantText(timestampMs(modifyTime));
}
