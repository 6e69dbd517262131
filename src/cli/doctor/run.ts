/** Runs `svc doctor`: diagnoses the pair and prints what was found. */
import type { Diagnosis } from "../../engine/contract/diagnosis.ts";
import { pairRequest } from "../../engine/contract/request.ts";
import { openEngine } from "../../engine/open.ts";
import { diagnosisMessage } from "../../messages/findings.ts";
import { diagnosisJson } from "../../messages/json.ts";
import { programPlaces } from "../../platform/config/program-places.ts";
import { writeAll } from "../exit.ts";
import type { FileFlags } from "../score/flags/file.ts";
import { rawVideoOf } from "../score/pair-request.ts";
import { progressLine } from "../score/progress.ts";
import { printableJson } from "../terminal/escape.ts";
import { detectTerminal } from "../terminal/terminal.ts";
import { diagnosisReport } from "./report.ts";
import { exitCodeOfDiagnosis } from "./view.ts";

export interface DoctorFlags extends FileFlags {
  readonly vmafBinary?: string;
  readonly timeout?: number;
  readonly json?: boolean;
}

/** Diagnoses a pair and returns the exit code. Throws Failure. */
export async function runDoctor(
  reference: string,
  distorted: string,
  flags: DoctorFlags,
  signal: AbortSignal,
): Promise<number> {
  const diagnosis = await diagnosed(reference, distorted, flags, signal);
  const terminal = detectTerminal(process.stdout, process.env);
  const text = flags.json
    ? printableJson(diagnosisJson(diagnosisMessage(diagnosis)), 2)
    : diagnosisReport(diagnosis, { reference, distorted, command: "svc score" }, terminal).join("\n");
  await writeAll(process.stdout, [`${text}\n`]);
  return exitCodeOfDiagnosis(diagnosis);
}

async function diagnosed(
  reference: string,
  distorted: string,
  flags: DoctorFlags,
  signal: AbortSignal,
): Promise<Diagnosis> {
  const request = pairRequest({
    reference,
    distorted,
    rawVideo: rawVideoOf(flags),
    editLists: flags.editLists === "ignore" ? "IGNORE" : "APPLY",
  });
  const line = progressLine(process.stderr, () => detectTerminal(process.stderr, process.env));
  try {
    line.note("Looking at both videos …");
    const places = programPlaces(process.env);
    const engine = await openEngine({ ...places, scorerPath: flags.vmafBinary, trustInstalled: true });
    const timeoutMs = flags.timeout === undefined ? undefined : Math.ceil(flags.timeout * 1000);
    return await engine.diagnose(request, { signal, timeoutMs });
  } finally {
    line.clear();
  }
}
