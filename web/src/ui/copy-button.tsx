/** Buttons that copy a text, and show the outcome for a few seconds. */
import { useEffect, useState } from "react";
import { useHref, useLocation } from "react-router";

/** Milliseconds for which a button shows the outcome. */
const SHOWN_MS = 4_000;

interface CopyButtonProps {
  readonly name: string;
  /** The text to copy. */
  readonly text: string;
  /** Called if the browser does not let the page copy, as without TLS; returns the text to show. */
  readonly otherwise: () => string;
}

export function CopyButton({ name, text, otherwise }: CopyButtonProps) {
  const [said, setSaid] = useState<{ readonly of: string; readonly message: string }>();
  // A timer ends the message. Blur cannot: Safari does not focus a button that is clicked.
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
