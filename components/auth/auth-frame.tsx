import type { ReactNode } from 'react';
import { Mark } from '../icons/mark';

/** The frame around the pages before sign-in. */
export function AuthFrame({
  title,
  intro,
  children,
}: {
  title: string;
  intro?: string;
  children: ReactNode;
}) {
  return (
    <main className="entry">
      <div className="entry-card rise-in">
        <p className="flex items-center gap-2.5 text-16 font-[620]">
          <Mark size={28} />
          Lockyard
        </p>
        <h1 className="mt-7 text-23 font-[600] text-balance">{title}</h1>
        {intro && <p className="mt-1.5 text-14 text-t2">{intro}</p>}
        {children}
      </div>
    </main>
  );
}
