/** Reads compose.yaml and deploy/compose/gateway.yaml as Docker Compose does. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { PROJECT } from "../../scripts/gates/gate.ts";

interface Service {
  readonly command?: readonly string[];
  readonly read_only?: boolean;
  readonly restart?: string;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly stop_grace_period?: string;
  readonly logging?: { readonly options: Readonly<Record<string, string>> };
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly secrets?: readonly string[];
}
interface Stack {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets?: Readonly<Record<string, { readonly file: string }>>;
}

export const text = (path: string): string => readFileSync(join(PROJECT, path), "utf8");
const stack = (path: string): Stack => parse(text(path), { merge: true });

export const GATEWAY = "deploy/compose/gateway.yaml";
export const open = stack("compose.yaml");
export const gateway = stack(GATEWAY);

/** Returns a service's entries of both files; the later one of a name wins. */
export const environmentOf = (name: string): Readonly<Record<string, string>> => ({
  ...open.services[name]?.environment,
  ...gateway.services[name]?.environment,
});

/** Expands `${NAME:?…}` and `${NAME:-…}` from an .env file. Throws if a required variable is missing. */
export function interpolated(written: string, env: Readonly<Record<string, string>>): string {
  return written.replaceAll(
    /\$\{(\w+):([-?])([^}]*)\}/g,
    (_, name: string, operator: string, rest: string) => {
      const given = env[name] || (operator === "-" ? rest : "");
      if (given === "") throw new Error(`${name} is missing: ${rest}`);
      return given;
    },
  );
}
