/** Whether what is shown follows what happens, and what is wrong where it does not. */
import type { Connection } from "../api/job-stream.ts";
import { useNow } from "./age.tsx";

const NAMES: Readonly<Record<Connection["state"], string>> = {
  connecting: "Connecting …",
  live: "Live",
  lost: "Reconnecting …",
  refused: "Not live",
};

/** Most connections that are lost are back before anybody could have read that they were. */
const WORTH_TELLING_MS = 1_500;

export function ConnectionState({ connection }: { readonly connection: Connection }) {
  const { state } = connection;
  const reason = "error" in connection ? connection.error.message : "Changes are shown as they happen.";
  return (
    <span className={`connection ${state}`} role="status" title={reason}>
      <span className="dot" aria-hidden="true" />
      {NAMES[state]}
    </span>
  );
}

/** Over what may be old. */
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
    <Banner title="What is shown may be old." reason={connection.error.message} retry={retry} />
  );
}

function LostBanner({ since, reason, retry }: { since: number; reason: string; retry: () => void }) {
  if (useNow() - since < WORTH_TELLING_MS) return null;
  const title = `What is shown may be old: the connection was lost at ${new Date(since).toLocaleTimeString()}.`;
  return <Banner title={title} reason={`${reason} It is asked again.`} retry={retry} />;
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
