import type { ReactNode } from 'react';

/** A card with a head. */
export function Panel({
  title,
  aside,
  end,
  className = '',
  children,
}: {
  title: string;
  /** A muted text beside the title. */
  aside?: ReactNode;
  /** At the right end of the head. */
  end?: ReactNode;
  className?: string;
  children: ReactNode;
}) {
  return (
    <section aria-label={title} className={`card flex min-w-0 flex-col ${className}`}>
      <header className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 border-line border-b px-3.5 py-2 last:border-b-0">
        <h2 className="font-[620]">{title}</h2>
        {aside && <span className="min-w-0 text-12 text-t3">{aside}</span>}
        {end && <span className="ml-auto text-12 text-t3">{end}</span>}
      </header>
      {children}
    </section>
  );
}
