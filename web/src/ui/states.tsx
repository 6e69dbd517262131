/** What is shown in place of what is not there: not yet, not at all, or not for this caller. */
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

/** `title`: what there is none of. The children say what to do. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="state">
      <h2>{title}</h2>
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

/** `retry`: undefined where asking again changes nothing. */
export function Failed({ error, retry }: { readonly error: Error; readonly retry?: () => void }) {
  const { code, requestId, status } =
    error instanceof ApiError ? error : { code: "CONSOLE_FAILED", requestId: "", status: 0 };
  const isForbidden = status === 403;
  const credentials = useContext(SessionContext)?.credentials;
  return (
    <div className="state failed" role="alert">
      <h2>{isForbidden ? "You may not see this" : "That did not work"}</h2>
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
