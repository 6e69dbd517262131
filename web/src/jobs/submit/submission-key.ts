/** The idempotency key of a submission. */
import { useRef } from "react";
import { newKey } from "../job-calls.ts";

/**
 * Returns a function that gives the same key for the same request, so that repeated clicks and retries store it once.
 */
export function useKey(): (request: unknown) => string {
  const last = useRef({ text: "", key: "" });
  return (request) => {
    const text = JSON.stringify(request);
    if (text !== last.current.text) last.current = { text, key: newKey() };
    return last.current.key;
  };
}
