/** Wraps every operation: errors become Failure, internal ones are logged, and the audit log gets its entry. */
import { Failure } from "../../platform/failure.ts";
import type { Log } from "../../platform/observability/log.ts";
import type { AuditRules, Ids } from "./audit-rules.ts";
import type { CallContext } from "./operations.ts";

/** An operation whose types do not matter here: its request comes first, its context last. */
type Operation = (...args: readonly unknown[]) => Promise<unknown> | AsyncIterable<unknown>;

interface Rule {
  readonly requestIds?: (request: unknown) => Ids;
  readonly responseIds?: (response: unknown) => Ids;
  readonly stream?: "read" | "change";
}

/** Returns the service with every operation intercepted. */
export function intercepted<Service extends object>(
  service: Service,
  rules: AuditRules<Service>,
  log: Log,
): Service {
  const ruleOf = (name: string) => (rules as Readonly<Record<string, Rule | undefined>>)[name] ?? {};
  const operations = Object.entries(service as Readonly<Record<string, Operation>>);
  return Object.fromEntries(
    operations.map(([name, operation]) => {
      const rule = ruleOf(name);
      return [
        name,
        rule.stream === undefined
          ? interceptedCall(operation, rule, log)
          : interceptedStream(operation, rule, log),
      ];
    }),
  ) as Service;
}

function interceptedCall(operation: Operation, { requestIds, responseIds }: Rule, log: Log): Operation {
  return async (...args) => {
    const context = contextIn(args);
    const { entry } = context;
    const release = entry?.hold();
    let done = false;
    try {
      entry?.about(requestIds?.(args[0]) ?? []);
      const response = await operation(...args);
      entry?.about(responseIds?.(response) ?? []);
      done = true;
      return response;
    } catch (thrown) {
      throw failed(thrown, context, log);
    } finally {
      release?.(done);
    }
  };
}

function interceptedStream(operation: Operation, { requestIds, stream }: Rule, log: Log): Operation {
  return async function* (...args) {
    const context = contextIn(args);
    const { entry, signal } = context;
    const release = entry?.hold();
    const end = () => release?.(false);
    if (stream === "read") {
      if (signal.aborted) end();
      else signal.addEventListener("abort", end, { once: true });
    }
    try {
      entry?.about(requestIds?.(args[0]) ?? []);
      yield* operation(...args) as AsyncIterable<unknown>;
    } catch (thrown) {
      throw failed(thrown, context, log);
    } finally {
      signal.removeEventListener("abort", end);
      end();
    }
  };
}

function contextIn(args: readonly unknown[]): CallContext {
  return args.at(-1) as CallContext;
}

function failed(thrown: unknown, { requestId, entry }: CallContext, log: Log): Failure {
  const failure = Failure.from(thrown);
  if (failure.kind === "internal") log.error({ requestId, err: failure.cause ?? failure }, "call failed");
  entry?.failed(failure.code);
  return failure;
}
