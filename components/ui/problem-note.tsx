import type { ReactNode } from 'react';
import { Icon } from '../icons/icon';
import type { Problem } from '../live/problem';
import { Button } from './controls/button';

/** An error where it happened, with the request id under which the server logged it. */
export function ProblemNote({
  problem: { text, requestId = null, reason },
  title,
}: {
  problem: Pick<Problem, 'text'> & Partial<Pick<Problem, 'requestId' | 'reason'>>;
  title?: string;
}) {
  return (
    <div
      role="alert"
      className="flex gap-2.5 rounded-10 bg-danger-tint px-3.5 py-2.5 text-13 text-t1"
    >
      <Icon name="alert-circle" size={16} className="mt-0.5 text-dangertext" />
      <div className="min-w-0">
        {title && <p className="font-[620]">{title}</p>}
        <p className="[overflow-wrap:anywhere]">{text}</p>
        {reason === 'UNAUTHENTICATED' && (
          // In this tab, what was typed would be lost.
          <a href="/sign-in" target="_blank" rel="noreferrer" className="link rounded-4">
            Sign in in a new tab
          </a>
        )}
        {requestId && (
          <p className="text-12 text-t2">
            Request ID <code className="font-mono select-all">{requestId}</code>
          </p>
        )}
      </div>
    </div>
  );
}

/** Says what has changed since the operator looked, and offers to use the current state. */
export function ChangedNote({ children, onUse }: { children: ReactNode; onUse: () => void }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <p className="min-w-0">{children}</p>
      <Button onClick={onUse}>Use current state</Button>
    </div>
  );
}
