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
import "./style/base.css";

/** What did not reach the controller is sent again, and once with a new token; else what it decided stays so. */
function isWorthRetrying(count: number, error: Error): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.status === 401) return count < 1 && error.code !== "SESSION_OVER";
  return count < 3 && (error.status === 0 || error.status === 503);
}

applyTheme();
const root = document.getElementById("console");
if (root === null) throw new TypeError("the page has no place for the console");
const queries = new QueryClient({ defaultOptions: { queries: { retry: isWorthRetrying } } });
createRoot(root).render(
  <StrictMode>
    <Boundary place="">
      <QueryClientProvider client={queries}>
        <SessionProvider>
          {/* What the address says is drawn at once: were that put off, a second click would undo the first. */}
          <BrowserRouter basename={import.meta.env.BASE_URL} useTransitions={false}>
            <App />
          </BrowserRouter>
        </SessionProvider>
      </QueryClientProvider>
    </Boundary>
  </StrictMode>,
);
