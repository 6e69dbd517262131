/** What people see whom nobody told where to sign in. */
import { Notice } from "../ui/states.tsx";

export function Unconfigured() {
  return (
    <Notice title="Signing in is not set up">
      <p>
        This controller asks for tokens, but its console was not told where people sign in. Start it with{" "}
        <code>--console-oidc-issuer</code> and <code>--console-oidc-client-id</code>.
      </p>
    </Notice>
  );
}
