/** The frame around every page: navigation, the caller, and a warning if authentication is disabled. */
import { Suspense } from "react";
import { NavLink, Outlet, useLocation } from "react-router";
import { hasRole, useSession } from "../session/session.ts";
import { Boundary } from "./boundary.tsx";
import { Keys } from "./keys.tsx";
import { Loading } from "./states.tsx";
import { ThemeButton } from "./theme.tsx";

const PAGES = [
  { path: "/jobs", name: "Jobs", role: "svc:reader" },
  { path: "/comparisons", name: "Comparisons", role: "svc:reader" },
  { path: "/trends", name: "Trends", role: "svc:reader" },
  { path: "/nodes", name: "Nodes", role: "svc:reader" },
  { path: "/tenant", name: "Tenant", role: "svc:reader" },
] as const;

export function Layout() {
  const { caller, open, signOut } = useSession();
  const { pathname } = useLocation();
  return (
    <>
      <a className="skip" href="#content">
        Skip to content
      </a>
      {open && (
        <aside className="open-warning" aria-label="Security">
          <strong>Authentication is disabled:</strong> anyone who can reach this address has full access.
        </aside>
      )}
      <header className="top">
        <NavLink to="/" className="brand" aria-label="svc: home">
          <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" width="24" height="24" /> svc
        </NavLink>
        <nav aria-label="Pages">
          {PAGES.filter(({ role }) => hasRole(caller, role)).map(({ path, name }) => (
            <NavLink key={path} to={path}>
              {name}
            </NavLink>
          ))}
        </nav>
        <div className="who">
          <Keys />
          <ThemeButton />
          <span className="tenant" title={caller.roles.join(", ")}>
            {caller.subject === "" ? caller.tenant : `${caller.subject} · ${caller.tenant}`}
          </span>
          {signOut !== undefined && (
            <button type="button" className="plain" onClick={signOut}>
              Sign out
            </button>
          )}
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        <Boundary place={pathname}>
          {/* The key makes a new Suspense for each page: the old one would keep showing the previous page. */}
          <Suspense key={pathname} fallback={<Loading what="the page" />}>
            {caller.roles.length === 0 ? <NoRole /> : <Outlet />}
          </Suspense>
        </Boundary>
      </main>
    </>
  );
}

function NoRole() {
  const { caller } = useSession();
  return (
    <div className="state">
      <h1>You have no role</h1>
      <p>
        You are signed in as <strong>{caller.subject || "an unnamed subject"}</strong> of tenant{" "}
        <strong>{caller.tenant}</strong>, but your token lists none of <code>svc:reader</code>,{" "}
        <code>svc:writer</code> and <code>svc:admin</code>. Ask the administrator of your identity provider
        for one, then sign in again.
      </p>
    </div>
  );
}
