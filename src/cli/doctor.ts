/** The command `svc doctor REF DIST`. */
import type { Command } from "commander";
import { exitCodes } from "../platform/config/help.ts";
import { conclude, PeopleCommand } from "./command.ts";
import { jsonOption } from "./connection/server.ts";
import { type DoctorFlags, runDoctor } from "./doctor/run.ts";
import { addFileOptions } from "./score/flags/file.ts";
import { scorerPathOption, timeoutOption } from "./score/options.ts";

const GUIDE = `
Examples:
  Find out why an encode scores so low:
    $ svc doctor source.mov encode.mp4

  The certain findings, for a script:
    $ svc doctor source.mov encode.mp4 --json | jq '.findings[] | select(.confidence == "certain") | .code'

What it looks for:
  - time: one video is late, was trimmed, lost or repeated frames, froze, or has another frame rate
  - picture area: cropped, letterboxed, padded, mirrored or rotated
  - samples: another range, matrix or level
  - the whole: other content, sides swapped, black or frozen videos, the same file twice
  It reports what it could not check: in still, looping or very short videos, matching frames cannot be found.

${exitCodes({
  0: "nothing is wrong with the pair, as far as it could be checked",
  1: "something is wrong, or probably wrong, with the pair",
  2: "a video cannot be read, or the command line is wrong",
  3: "the decoder failed or timed out, or the diagnosis could not be written",
  130: "stopped with Ctrl-C; nothing is left behind",
})}`;

export function doctorCommand(): Command {
  const command = new PeopleCommand("svc doctor")
    .summary("find out whether two videos can be compared, and what would repair the pair")
    .description(
      "Compares the pictures of both videos to find out how they relate: which frames have the same content, which " +
        "part of the picture both contain, and whether their samples have the same range and matrix. Prints what is " +
        "wrong with the pair, the evidence, and the options of svc score that repair it. Needs no server.",
    )
    .argument("<reference>", "the source video: any container, .y4m or raw .yuv")
    .argument("<distorted>", "the encoded video")
    .withGuide(GUIDE);
  addFileOptions(command);
  return command
    .addOption(scorerPathOption())
    .addOption(timeoutOption("86400, a day"))
    .addOption(jsonOption("the diagnosis", "a report"))
    .action((reference: string, distorted: string, flags: DoctorFlags) =>
      conclude({ json: flags.json, indent: 2, title: "The pair was not diagnosed", advice: {} }, (signal) =>
        runDoctor(reference, distorted, flags, signal),
      ),
    );
}
