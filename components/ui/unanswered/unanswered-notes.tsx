'use client';

import { useUnansweredActs } from './unanswered-acts';

/** Where actions are shown whose dialogs were closed before their answers came. */
export function UnansweredNotes() {
  return (
    <div
      aria-live="polite"
      className="fixed top-16 right-[var(--gutter)] z-30 flex w-[min(420px,calc(100%-2*var(--gutter)))] flex-col gap-2 print:hidden"
    >
      {useUnansweredActs().map((act) => !act.isHidden && <act.Note key={act.id} act={act} />)}
    </div>
  );
}
