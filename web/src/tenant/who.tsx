/** Who did something, as their token named them. */
import { useSession } from "../session/session.ts";

/** `subject`: empty where nobody was asked who they are, and where a token named nobody. */
export function Who({ subject }: { readonly subject: string }) {
  const { open } = useSession();
  return subject === "" ? (
    <span className="quiet">{open ? "nobody signed in" : "no name"}</span>
  ) : (
    <bdi>{subject}</bdi>
  );
}
