/** Shown if tokens are required but no identity provider is configured. */
import { Notice } from "../ui/states.tsx";

export function Unconfigured() {
  return (
    <Notice title="Sign-in is not configured">
      <p>
        This controller requires tokens, but no identity provider is configured for the console. Start it with{" "}
        <code>--console-oidc-issuer</code> and <code>--console-oidc-client-id</code>.
      </p>
    </Notice>
  );
}
