/** A minimal browser: keeps cookies, follows redirects, and submits every form. As a program it opens its argument. */

/** More steps than any sign-in has. */
const MAX_STEPS = 30;

export interface Visited {
  readonly status: number;
  readonly text: string;
  /** Every address it visited. */
  readonly urls: readonly string[];
}

/** Opens an address and follows it to the end. `stop`: an address at which it stops, without opening it. */
export async function visit(start: string, stop: (url: string) => boolean = () => false): Promise<Visited> {
  const cookies = new Map<string, string>();
  const urls: string[] = [];
  let next: { readonly url: string; readonly form?: URLSearchParams } = { url: start };
  for (let step = 0; step < MAX_STEPS; step++) {
    urls.push(next.url);
    if (stop(next.url)) return { status: 0, text: "", urls };
    const response = await fetch(next.url, {
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(next.form && { method: "POST", body: next.form }),
    });
    for (const line of response.headers.getSetCookie()) keep(cookies, line);
    const text = await response.text();
    const location = response.headers.get("location");
    const form = formOf(text);
    if (location !== null) next = { url: new URL(location, next.url).href };
    else if (form !== undefined) next = { url: new URL(form.action, next.url).href, form: form.fields };
    else return { status: response.status, text, urls };
  }
  throw new Error(`${start} leads nowhere`);
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = "", ...attributes] = line.split(";");
  const [name = "", ...value] = pair.split("=");
  const over = attributes.some((one) => /^\s*expires=.* 1970 /i.test(one));
  if (over) cookies.delete(name);
  else cookies.set(name, value.join("="));
}

function formOf(html: string): { readonly action: string; readonly fields: URLSearchParams } | undefined {
  const action = /<form[^>]* action="([^"]*)"/.exec(html)?.[1];
  if (action === undefined) return undefined;
  const inputs = html.matchAll(/<input[^>]* name="([^"]*)"[^>]* value="([^"]*)"/g);
  const fields = Object.fromEntries([...inputs].map(([, name = "", value = ""]) => [name, value]));
  return { action, fields: new URLSearchParams(fields) };
}

if (import.meta.main) {
  const { status } = await visit(process.argv.at(-1) ?? "");
  process.exitCode = status === 200 ? 0 : 1;
}
