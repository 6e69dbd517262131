/** The subject of a token. */
import { useSession } from "../session/session.ts";

/** `subject` is empty if authentication is disabled or the token has no subject. */
export function Who({ subject }: { readonly subject: string }) {
  const { open } = useSession();
  return subject === "" ? (
    <span className="quiet">{open ? "anonymous" : "no name"}</span>
  ) : (
    <bdi>{subject}</bdi>
  );
}
