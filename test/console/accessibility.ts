/** Accessibility checks: axe's violations, by rule and element, and the size of touch targets. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";

const AXE = await readFile(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** Best practices that axe rates moderate, and the size of targets (WCAG 2.2, 2.5.8), which is off by default. */
const MORE_RULES = ["region", "page-has-heading-one", "heading-order", "target-size"];

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
}

/** Serious and critical violations, and those of MORE_RULES, as text. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const rules = Object.fromEntries(MORE_RULES.map((rule) => [rule, { enabled: true }]));
  const { violations } = await page.evaluate<{ readonly violations: readonly Violation[] }>(
    `axe.run({ rules: ${JSON.stringify(rules)} })`,
  );
  return violations
    .filter(({ id, impact }) => impact === "serious" || impact === "critical" || MORE_RULES.includes(id))
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary = "" }) => `${id} at ${target.join(" ")}: ${failureSummary}`),
    );
}

/** Minimum width and height of a touch target in pixels: WCAG 2.2, 2.5.8. */
const MIN_TARGET = 24;

interface Target {
  readonly name: string;
  /** Width and height of the element and of its label. */
  readonly sizes: readonly (readonly [width: number, height: number])[];
}

/** Controls smaller than that, except links within sentences. A box can be pressed by its label too. */
export async function smallTargets(page: Page): Promise<string[]> {
  const pressed = "a[href], button, input, select, textarea, summary";
  const all = await page.evaluate<readonly Target[]>(`
    [...document.querySelectorAll(${JSON.stringify(pressed)})]
      .filter((each) => each.checkVisibility() && !each.matches(".skip, p > a:not(:only-child)"))
      .map((each) => ({
        name: each.localName + " " + (each.getAttribute("aria-label") ?? each.textContent).trim(),
        sizes: [each, each.closest("label") ?? each].map((box) => {
          const { width, height } = box.getBoundingClientRect();
          return [width, height];
        }),
      }))`);
  return all
    .filter(({ sizes }) => sizes.every(([width, height]) => Math.min(width, height) < MIN_TARGET - 0.5))
    .map(({ name, sizes }) => `${name}: ${JSON.stringify(sizes)}`);
}
