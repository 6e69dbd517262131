/** The options of trends, and the request that they describe. */
import { InvalidArgumentError, type Option } from "commander";
import type { Connection } from "../../client/connection/connection.ts";
import { ComparisonService, type Trend } from "../../gen/proto/svc/v1/comparison_pb.ts";
import { required } from "../connection/server.ts";
import { optional } from "../flags/optional.ts";
import type { Labels } from "../jobs/labels.ts";

/** Milliseconds that the server may take to read thousands of results. */
const TIMEOUT_MS = 120_000;

export interface TrendFlags {
  readonly statistic?: string | undefined;
  readonly failIfWorse?: number | undefined;
}

/** `other`: begins the help of each option. */
export function trendOptions(other = ""): Option[] {
  return [
    optional(
      "--statistic <name>",
      `${other}statistic of the frames that is compared: mean, harmonicMean, min, p1, p5, p10 or p50`,
      "mean",
    ),
    optional(
      "--fail-if-worse <points>",
      `${other}exit with code 1 if the release is worse beyond chance, and by at least this many points; needs two references`,
      "off",
    ).argParser(parsePoints),
  ];
}

export interface AskedTrend extends TrendFlags {
  readonly by: string;
  readonly labels: Labels;
  readonly metric?: string;
  readonly baseline?: string | undefined;
  readonly candidate?: string | undefined;
}

export async function fetchTrend(
  connection: Connection,
  asked: AskedTrend,
  signal: AbortSignal,
): Promise<Trend> {
  const { by, labels, metric = "", statistic = "", baseline = "", candidate = "", failIfWorse } = asked;
  const request = {
    ...{ by, labels, metric, statistic, baseline, candidate },
    // The printed text counts the clips by the same threshold that fails the command.
    ...(failIfWorse !== undefined && { threshold: failIfWorse }),
  };
  const { getTrend } = ComparisonService.method;
  const { trend } = await connection.call(getTrend, request, { signal, timeoutMs: TIMEOUT_MS });
  return required(trend, "the trend");
}

function parsePoints(text: string): number {
  const points = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && points <= 1e6) return points;
  throw new InvalidArgumentError("Use a number of points, 0 or more.");
}
