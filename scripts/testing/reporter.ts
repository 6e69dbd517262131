/**
 * Reporter of one process of tests (node --test-reporter): writes events as JSON lines for the runner. A file that runs
 * no test reports nothing.
 */
import type { TestEvent } from "node:test/reporters";
import { inspect } from "node:util";

/** A test starts. The last of these events shows where a file hangs. */
export interface Begun {
  readonly kind: "begun";
  readonly name: string;
}

/** A test passed. A suite does not count. */
export interface Passed {
  readonly kind: "passed";
  /** The absolute path of its file, if Node.js names it. */
  readonly file: string | undefined;
}

export interface Failed {
  readonly kind: "failed";
  /** Names of the enclosing suites and tests, outermost first, and of the test itself. */
  readonly path: readonly string[];
  /** The absolute path of its file, if Node.js names it. */
  readonly file: string | undefined;
  readonly error: string;
}

export interface Finished {
  readonly kind: "finished";
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export type Reported = Begun | Passed | Failed | Finished;

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const around: string[] = [];
  for await (const event of events) {
    if (event.type === "test:start") {
      around.length = event.data.nesting;
      around.push(event.data.name);
    }
    const reported = reportedOf(event, around);
    if (reported !== undefined) yield `${JSON.stringify(reported)}\n`;
  }
}

function reportedOf(event: TestEvent, around: readonly string[]): Reported | undefined {
  if (event.type === "test:dequeue") return { kind: "begun", name: event.data.name };
  if (event.type === "test:pass" && event.data.details.type !== "suite")
    return { kind: "passed", file: event.data.file };
  if (event.type === "test:fail") {
    const { error } = event.data.details;
    // A suite fails because of a test in it, which has already been reported.
    if ("failureType" in error && error.failureType === "subtestsFailed") return undefined;
    const path = [...around.slice(0, event.data.nesting), event.data.name];
    return {
      kind: "failed",
      path,
      file: event.data.file,
      error: inspect(error.cause ?? error, { depth: 6 }),
    };
  }
  // Node.js reports failures after the end of a test only as a diagnostic.
  if (
    event.type === "test:diagnostic" &&
    event.data.message.includes("asynchronous activity after the test ended")
  ) {
    return { kind: "failed", path: [], file: event.data.file, error: event.data.message };
  }
  if (event.type === "test:summary") {
    const { tests, passed, skipped } = event.data.counts;
    return { kind: "finished", passed, failed: tests - passed - skipped, skipped };
  }
  return undefined;
}
