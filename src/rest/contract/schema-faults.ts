/** Describes the faults that the validator finds in a request. */
import type { FastifySchemaValidationError } from "fastify";
import { Failure } from "../../platform/failure.ts";

/** Returns INVALID_REQUEST with the member. */
export function schemaFault([error]: readonly FastifySchemaValidationError[]): Failure {
  return new Failure(
    "INVALID_REQUEST",
    error === undefined ? "The request is not valid." : sentenceOf(error),
  );
}

function sentenceOf({ keyword, instancePath, params, message }: FastifySchemaValidationError): string {
  const member = instancePath.split("/").slice(1).join(".");
  const inside = member && `${member}.`;
  if (keyword === "required") return `${inside}${String(params["missingProperty"])} is missing.`;
  if (keyword === "additionalProperties") {
    const name = JSON.stringify(`${inside}${String(params["additionalProperty"])}`.slice(0, 80));
    return `${name} is not a member of this request. See /ui/spec.json for its members.`;
  }
  const allowed = Array.isArray(params["allowedValues"]) ? `: ${params["allowedValues"].join(", ")}` : "";
  return `${member || "The body"} ${message ?? "is not valid"}${allowed}.`;
}
