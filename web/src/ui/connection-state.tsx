/** Whether the page shows live data, and what is wrong if not. */
import type { Connection } from "../api/job-stream.ts";
import { useNow } from "./age.tsx";

const NAMES: Readonly<Record<Connection["state"], string>> = {
  connecting: "Connecting …",
  live: "Live",
  lost: "Reconnecting …",
  refused: "Not live",
};

/** Milliseconds until a message is shown: most lost connections are restored before anyone could read one. */
const MESSAGE_AFTER_MS = 1_500;

export function ConnectionState({ connection }: { readonly connection: Connection }) {
  const { state } = connection;
  const reason = "error" in connection ? connection.error.message : "Changes appear as they happen.";
  return (
    <span className={`connection ${state}`} role="status" title={reason}>
      <span className="dot" aria-hidden="true" />
      {NAMES[state]}
    </span>
  );
}

/** Shown above data that may be out of date. */
export function ConnectionBanner({
  connection,
  retry,
}: {
  readonly connection: Connection;
  readonly retry: () => void;
}) {
  if (connection.state !== "lost" && connection.state !== "refused") return null;
  return connection.state === "lost" ? (
    <LostBanner since={connection.since} reason={connection.error.message} retry={retry} />
  ) : (
    <Banner title="Data may be out of date." reason={connection.error.message} retry={retry} />
  );
}

function LostBanner({ since, reason, retry }: { since: number; reason: string; retry: () => void }) {
  if (useNow() - since < MESSAGE_AFTER_MS) return null;
  const title = `Data may be out of date: connection lost at ${new Date(since).toLocaleTimeString()}.`;
  return <Banner title={title} reason={`${reason} Retrying automatically.`} retry={retry} />;
}

function Banner({ title, reason, retry }: { title: string; reason: string; retry: () => void }) {
  return (
    <div className="connection-banner" role="alert">
      <p>
        <strong>{title}</strong> {reason}
      </p>
      <button type="button" onClick={retry}>
        Try now
      </button>
    </div>
  );
}
