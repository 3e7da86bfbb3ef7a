import type { ReactNode } from 'react';

/** A page's title, one line about it, and what can be done there. */
export function PageHead({
  title,
  end,
  children,
}: {
  title: string;
  end?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3 pb-4">
      <div>
        <h1 className="text-19 font-[640]">{title}</h1>
        {children && <p className="text-pretty text-t2">{children}</p>}
      </div>
      {end}
    </header>
  );
}
