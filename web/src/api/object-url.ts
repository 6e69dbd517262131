/** An object URL of fetched bytes: media elements cannot send a token. */
import { useEffect, useState } from "react";

/** undefined while there are none. */
export function useObjectUrl(data: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (data === undefined) return undefined;
    const created = URL.createObjectURL(data);
    setUrl(created);
    return () => {
      URL.revokeObjectURL(created);
      setUrl(undefined);
    };
  }, [data]);
  return url;
}
