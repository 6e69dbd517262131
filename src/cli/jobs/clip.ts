/** The command `svc jobs clip ID FRAME`. */
import type { Command } from "commander";
import type { Connection } from "../../client/connection/connection.ts";
import { type Clip, JobService, Still_State } from "../../gen/proto/svc/v1/job_pb.ts";
import { Failure, isFailureCode } from "../../platform/failure.ts";
import { PeopleCommand } from "../command.ts";
import {
  addServerOptions,
  required,
  type ServerFlags,
  serverGuide,
  withServer,
} from "../connection/server.ts";
import { EXIT, writeAll } from "../exit.ts";
import { optional } from "../flags/optional.ts";
import { whole } from "../score/options.ts";
import { outputFile, writeOutput } from "../score/output-file.ts";
import { quoteName } from "../terminal/escape.ts";
import { followJobs } from "./follow.ts";

interface ClipFlags extends ServerFlags {
  readonly output?: string;
}

const MAX_FRAME = 999_999_999;

const GUIDE = `
Examples:
  The two seconds around frame 1043, both sides next to each other:
    $ svc jobs clip 0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10 1043 -o drop.mp4

${serverGuide({
  0: "the video is written",
  2: "the job does not exist, has not succeeded or has no such frame, or the command line is wrong",
  3: "the server cannot be reached or failed, or the video could not be made or written",
  130: "stopped with Ctrl-C; a node still makes the clip",
})}`;

export function clipCommand(): Command {
  const command = new PeopleCommand("svc jobs clip")
    .summary("save a video of both sides around a frame")
    .description(
      "Writes the clip of a frame: about two seconds around it as an MP4, the reference on the left and the distorted side on the right, as they were compared. If there is none yet, a node makes it first.",
    )
    .argument("<id>", "the job's full id")
    .argument("<frame>", "frame number, from 0", whole(MAX_FRAME, 0))
    .addOption(optional("-o, --output <file>", "file to write", "clip-FRAME.mp4"))
    .withGuide(GUIDE);
  return addServerOptions(command).action((id: string, frame: number, flags: ClipFlags) =>
    withServer(flags, (connection, signal) => saveClip(connection, { id, frame }, flags, signal)),
  );
}

interface Wanted {
  readonly id: string;
  readonly frame: number;
}

async function saveClip(
  connection: Connection,
  wanted: Wanted,
  { output = `clip-${wanted.frame}.mp4` }: ClipFlags,
  signal: AbortSignal,
): Promise<number> {
  const target = await outputFile({ name: output, content: "frames of the clip" }, []);
  const { firstFrame, frameCount } = await readyClip(connection, wanted, signal);
  await writeOutput(target, piecesOf(connection, wanted, signal), signal);
  const last = firstFrame + frameCount - 1;
  await writeAll(process.stdout, [`Frames ${firstFrame} to ${last} written to ${quoteName(output)}.\n`]);
  return EXIT.scored;
}

/** Requests the clip unless it exists, and waits until it is ready. Throws the failure if it could not be made. */
async function readyClip(connection: Connection, { id, frame }: Wanted, signal: AbortSignal): Promise<Clip> {
  const { method } = JobService;
  const asked = await connection.call(method.requestClips, { id, frames: [frame] }, { signal });
  let clip = clipOf(asked.clips, frame);
  if (clip.state === Still_State.PENDING) {
    const settled = new AbortController();
    await followJobs(
      connection,
      { ids: [id] },
      {
        signal: AbortSignal.any([signal, settled.signal]),
        async onEvent() {
          const { clips } = await connection.call(method.listClips, { id }, { signal });
          clip = clipOf(clips, frame);
          if (clip.state !== Still_State.PENDING) settled.abort();
        },
      },
    );
  }
  if (signal.aborted) throw new Failure("SCORE_CANCELLED", "Stopped while waiting for the clip.");
  const { error } = clip;
  if (clip.state === Still_State.READY) return clip;
  throw new Failure(
    error !== undefined && isFailureCode(error.code) ? error.code : "INTERNAL",
    error?.message ?? `The clip of frame ${frame} could not be made.`,
  );
}

function clipOf(clips: readonly Clip[], frame: number): Clip {
  return required(
    clips.find((clip) => clip.frame === frame),
    `the clip of frame ${frame}`,
  );
}

async function* piecesOf(
  connection: Connection,
  wanted: Wanted,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const { piece } of connection.stream(JobService.method.getClip, wanted, { signal })) yield piece;
}
