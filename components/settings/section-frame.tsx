import type { ReactNode } from 'react';

/** A section of the settings, with a sentence about it. */
export function SectionFrame({
  title,
  intro,
  end,
  children,
}: {
  title: string;
  intro?: ReactNode;
  end?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section aria-label={title} className="card mb-3.5 last:mb-0">
      <header className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 border-line border-b px-3.5 py-3">
        <div className="min-w-0 flex-1 basis-64">
          <h2 className="text-14 font-[620]">{title}</h2>
          {intro && <p className="text-t2">{intro}</p>}
        </div>
        {end}
      </header>
      {children}
    </section>
  );
}
