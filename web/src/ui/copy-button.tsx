/** Buttons that copy a text, and say for a few seconds what became of it. */
import { useEffect, useState } from "react";
import { useHref, useLocation } from "react-router";

/** How long a button says so, in milliseconds. */
const SHOWN_MS = 4_000;

interface CopyButtonProps {
  readonly name: string;
  /** What it copies. */
  readonly text: string;
  /** Called where the browser lets the page copy nothing, as without TLS; returns what to say. */
  readonly otherwise: () => string;
}

export function CopyButton({ name, text, otherwise }: CopyButtonProps) {
  const [said, setSaid] = useState<{ readonly of: string; readonly message: string }>();
  // No other event ends the message: Safari does not focus a button that is clicked, so that is never blurred.
  useEffect(() => {
    if (said === undefined) return undefined;
    const timer = setTimeout(() => setSaid(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async () => {
    const isCopied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    setSaid({ of: text, message: isCopied ? "Copied" : otherwise() });
  };
  return (
    <button type="button" onClick={() => void copy()}>
      <span aria-live="polite">{said?.of === text ? said.message : name}</span>
    </button>
  );
}

/** Copies the URL of the current view. */
export function CopyLink() {
  const path = useHref(useLocation());
  return (
    <CopyButton
      name="Copy link"
      text={new URL(path, location.origin).href}
      otherwise={() => "Copy the URL from the address bar"}
    />
  );
}
