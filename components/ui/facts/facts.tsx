import type { ReactNode } from 'react';

/** Facts about one thing, in two columns: what each is, and its value. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="plain-facts">{children}</dl>;
}

/** One of them. `className` is that of its value. */
export function Fact({
  label,
  className,
  children,
}: {
  label: ReactNode;
  className?: string;
  children: ReactNode;
}) {
  return (
    <div>
      <dt>{label}</dt>
      <dd className={className}>{children}</dd>
    </div>
  );
}
