/** A form field: label, hint and fault. */
import { type ReactNode, useId } from "react";

export interface FieldParts {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean;
}

interface FieldRowProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** The fault of the value; undefined if it is valid. */
  readonly fault: string | undefined;
  readonly className?: string;
  /** Renders the input with these attributes. */
  readonly children: (parts: FieldParts) => ReactNode;
}

export function FieldRow({ label, hint, fault, className = "", children }: FieldRowProps) {
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, fault !== undefined && `${id}-fault`].filter(
    Boolean,
  );
  return (
    <div className={`field ${className}`}>
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        "aria-describedby": described.length > 0 ? described.join(" ") : undefined,
        "aria-invalid": fault !== undefined,
      })}
      {fault !== undefined && (
        <p className="failed" id={`${id}-fault`}>
          {fault}
        </p>
      )}
      {hint !== undefined && (
        <p className="quiet" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
