/** View and gain of the still viewer, kept in the URL: the same for every frame. */
import { useSearchParams } from "react-router";
import { useSetParam } from "../ui/url-param.tsx";
import { GAINS, type Gain, MODES, type Mode } from "./tools.tsx";

const USUAL_MODE: Mode = "beside";
const USUAL_GAIN: Gain = 4;

export interface Look {
  readonly mode: Mode;
  readonly gain: Gain;
  readonly onMode: (mode: Mode) => void;
  readonly onGain: (gain: Gain) => void;
}

export function useLook(): Look {
  const [params] = useSearchParams();
  const setParam = useSetParam();
  const set = (name: string, value: string, usual: string) =>
    setParam(name, value === usual ? undefined : value);
  const asked = params.get("still") ?? "";
  return {
    mode: Object.hasOwn(MODES, asked) ? (asked as Mode) : USUAL_MODE,
    gain: GAINS.find((one) => String(one) === params.get("gain")) ?? USUAL_GAIN,
    onMode: (mode) => set("still", mode, USUAL_MODE),
    onGain: (gain) => set("gain", String(gain), String(USUAL_GAIN)),
  };
}
