/** The routes of the console. */
import { Route, Routes } from "react-router";
import { ComparisonsPage } from "./comparisons/comparisons-page.tsx";
import { HomePage } from "./home/home-page.tsx";
import { JobsPage } from "./jobs/jobs-page.tsx";
import { NodesPage } from "./nodes/nodes-page.tsx";
import { TenantPage } from "./tenant/tenant-page.tsx";
import { Layout } from "./ui/layout.tsx";
import { lazily } from "./ui/lazily.ts";
import { Empty } from "./ui/states.tsx";

/** The largest pages because of their charts: loaded on first use. */
const JobPage = lazily(async () => (await import("./job/job-page.tsx")).JobPage);
const ComparePage = lazily(async () => (await import("./compare/compare-page.tsx")).ComparePage);
const ComparisonPage = lazily(async () => (await import("./comparisons/comparison-page.tsx")).ComparisonPage);
const TrendsPage = lazily(async () => (await import("./trends/trends-page.tsx")).TrendsPage);

export function App() {
  return (
    <Routes>
      <Route element={<Layout />}>
        <Route index element={<HomePage />} />
        <Route path="jobs" element={<JobsPage />} />
        <Route path="jobs/:id" element={<JobPage />} />
        <Route path="compare" element={<ComparePage />} />
        <Route path="comparisons" element={<ComparisonsPage />} />
        <Route path="comparisons/:id" element={<ComparisonPage />} />
        <Route path="trends" element={<TrendsPage />} />
        <Route path="nodes" element={<NodesPage />} />
        <Route path="tenant" element={<TenantPage />} />
        <Route path="*" element={<Empty heading="h1" title="Page not found" />} />
      </Route>
    </Routes>
  );
}
