import type { ReactNode } from 'react';
import { Mark } from '../icons/mark';

/** The frame of pages outside the console: sign-in, setup, errors. */
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
    <main className="grid min-h-dvh place-items-center px-[var(--gutter)] py-6">
      <div className="rise-in w-full max-w-[400px] sm:max-w-[432px] sm:rounded-14 sm:border sm:border-line sm:bg-s1 sm:px-9 sm:pt-[34px] sm:pb-9">
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
