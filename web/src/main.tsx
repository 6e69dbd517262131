/** Starts the console. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { BrowserRouter } from "react-router";
import { ApiError } from "./api/problem.ts";
import { App } from "./app.tsx";
import { SessionProvider } from "./session/session-provider.tsx";
import { Boundary } from "./ui/boundary.tsx";
import { applyTheme } from "./ui/theme.tsx";
import "./style/base/theme.css";
import "./style/base/page.css";
import "./style/base/frame.css";
import "./style/base/controls.css";
import "./style/base/keys.css";
import "./style/base/notes.css";
import "./style/section.css";

/** Retries requests that did not reach the controller, and once with a new token; all other responses are final. */
function isWorthRetrying(count: number, error: Error): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.status === 401) return count < 1 && error.code !== "SESSION_OVER";
  return count < 3 && (error.status === 0 || error.status === 503);
}

applyTheme();
const root = document.getElementById("console");
if (root === null) throw new TypeError("the page has no element for the console");
const queries = new QueryClient({ defaultOptions: { queries: { retry: isWorthRetrying } } });
createRoot(root).render(
  <StrictMode>
    <Boundary place="">
      <QueryClientProvider client={queries}>
        <SessionProvider>
          {/* Renders URL changes synchronously: deferred, a second click would undo the first. */}
          <BrowserRouter basename={import.meta.env.BASE_URL} useTransitions={false}>
            <App />
          </BrowserRouter>
        </SessionProvider>
      </QueryClientProvider>
    </Boundary>
  </StrictMode>,
);
