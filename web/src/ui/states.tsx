/** Placeholders for content that is loading, empty, failed or forbidden. */
import { type ReactNode, useContext } from "react";
import { ApiError } from "../api/problem.ts";
import { SessionContext } from "../session/session.ts";

export function Loading({ what }: { readonly what: string }) {
  return (
    <div className="state" role="status">
      <span className="spinner" aria-hidden="true" />
      <p>Loading {what} …</p>
    </div>
  );
}

interface EmptyProps {
  readonly title: string;
  /** h1 if it is the whole page. */
  readonly heading?: "h1" | "h2";
  readonly children?: ReactNode;
}

/** `title` names what is empty; the children say what to do. */
export function Empty({ title, heading: Heading = "h2", children }: EmptyProps) {
  return (
    <div className="state">
      <Heading>{title}</Heading>
      {children}
    </div>
  );
}

export function Notice({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <main className="notice">
      <div className="state">
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}

interface FailedProps {
  readonly error: Error;
  /** undefined if retrying cannot help. */
  readonly retry?: () => void;
  /** h1 if it is the whole page. */
  readonly heading?: "h1" | "h2";
}

export function Failed({ error, retry, heading: Heading = "h2" }: FailedProps) {
  const { code, requestId, status } =
    error instanceof ApiError ? error : { code: "CONSOLE_FAILED", requestId: "", status: 0 };
  const isForbidden = status === 403;
  const credentials = useContext(SessionContext)?.credentials;
  return (
    <div className="state failed" role="alert">
      <Heading>{isForbidden ? "Access denied" : "Something went wrong"}</Heading>
      <p>{error.message}</p>
      <p className="quiet">
        <code>{code}</code>
        {requestId !== "" && (
          <>
            {" "}
            · request <code>{requestId}</code>
          </>
        )}
      </p>
      {retry !== undefined && !isForbidden && (
        <button
          type="button"
          onClick={() => {
            credentials?.tryNow();
            retry();
          }}
        >
          Try again
        </button>
      )}
    </div>
  );
}
