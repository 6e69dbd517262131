/** Schemathesis, a Python program that sends requests generated from an OpenAPI description and checks the responses. */
import { fromPypi, type PypiProgram } from "./pypi.ts";

export const SCHEMATHESIS: PypiProgram = { name: "schemathesis", program: "schemathesis" };

/** Returns the path of the program; installs it first if necessary. */
export function schemathesis(): Promise<string> {
  return fromPypi(SCHEMATHESIS);
}
