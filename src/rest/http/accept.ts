/** Content negotiation (RFC 9110, 12.5.1). */

/** Whether an Accept header prefers a media type to application/json. Equal preferences get JSON. */
export function prefers(type: `${string}/${string}`, accept = ""): boolean {
  const wishes = accept.split(",").map((range) => {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    return { name, quality: quality === undefined ? 1 : Number(quality.slice(2)) || 0 };
  });
  const wish = (...names: readonly string[]) => {
    const named = names.map((name) => wishes.find((each) => each.name === name));
    return named.find((found) => found !== undefined)?.quality ?? 0;
  };
  const group = `${type.split("/")[0]}/*`;
  return wish(type, group, "*/*") > wish("application/json", "application/*", "*/*");
}
