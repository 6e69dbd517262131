/**
 * Reporter of one test file (node --test-reporter): what happened, as JSON lines
 * for the runner. A file that runs no test at all reports nothing.
 */
import type { TestEvent } from "node:test/reporters";
import { inspect } from "node:util";

/** A test begins: the last of these tells where a file that never ends is stuck. */
export interface Begun {
  readonly kind: "begun";
  readonly name: string;
}

export interface Failed {
  readonly kind: "failed";
  /** Names of the suites and tests around it, outermost first, and its own. */
  readonly path: readonly string[];
  readonly error: string;
}

export interface Finished {
  readonly kind: "finished";
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export type Reported = Begun | Failed | Finished;

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
  if (event.type === "test:fail") {
    const { error } = event.data.details;
    // A suite fails because of a test in it, which has been reported itself.
    if ("failureType" in error && error.failureType === "subtestsFailed") return undefined;
    const path = [...around.slice(0, event.data.nesting), event.data.name];
    return { kind: "failed", path, error: inspect(error.cause ?? error, { depth: 6 }) };
  }
  // What a test leaves undone and fails after its end, Node.js only remarks upon.
  if (
    event.type === "test:diagnostic" &&
    event.data.message.includes("asynchronous activity after the test ended")
  ) {
    return { kind: "failed", path: [], error: event.data.message };
  }
  if (event.type === "test:summary") {
    const { tests, passed, skipped } = event.data.counts;
    return { kind: "finished", passed, failed: tests - passed - skipped, skipped };
  }
  return undefined;
}
