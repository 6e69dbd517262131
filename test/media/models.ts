/**
 * Real model files, extracted from the bundled ffmpeg, whose executable contains libvmaf's models as JSON text.
 */
import { createReadStream } from "node:fs";
import { FFMPEG } from "./ffmpeg.ts";

/** The start of the text of every simple (not bootstrap) model. */
const BEGIN = Buffer.from('{\n    "param_dict": {');
const LONGEST = 200_000;

/** Returns the texts of the simple models in the bundled ffmpeg; the first is vmaf_4k or vmaf itself. */
export async function builtInModelTexts(): Promise<string[]> {
  const texts: string[] = [];
  let window: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(FFMPEG, {
    highWaterMark: 4 * 1024 * 1024,
  }) as AsyncIterable<Buffer>) {
    window = Buffer.concat([window, chunk]);
    let from = 0;
    for (;;) {
      const begin = window.indexOf(BEGIN, from);
      if (begin < 0 || begin + LONGEST > window.length) break;
      texts.push(objectText(window.toString("latin1", begin, begin + LONGEST)));
      from = begin + BEGIN.length;
    }
    const next = window.indexOf(BEGIN, from);
    window = window.subarray(next >= 0 ? next : Math.max(0, window.length - BEGIN.length));
  }
  return texts.filter((text) => text.includes('"model_type"'));
}

/** Returns the JSON object at the start of a text. No string in a model contains a brace. */
function objectText(text: string): string {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "{") depth++;
    if (text[at] === "}" && --depth === 0) return text.slice(0, at + 1);
  }
  return "";
}
