import type { ReactNode } from 'react';

/** The keys of a page, at its foot. Only where there is a keyboard. */
export function KeyBar({ children }: { children: ReactNode }) {
  return (
    <div className="key-hints flex h-[30px] print:hidden shrink-0 items-center gap-4 border-line border-t bg-s1 px-[var(--gutter)] text-12 text-t2 max-md:hidden">
      {children}
    </div>
  );
}

export function Hint({ keys, word }: { keys: string[]; word: string }) {
  return (
    <span className="flex items-center gap-1.5 whitespace-nowrap">
      {keys.map((key) => (
        <kbd key={key} className="key">
          {key}
        </kbd>
      ))}
      {word}
    </span>
  );
}
