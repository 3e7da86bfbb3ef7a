'use client';

import { Icon } from '../icons/icon';
import { NearLink } from '../navigation/near-link';
import { VisibleText, WholeName } from '../ui/visible-text';

/** How often a page whose subject could not be read asks for it again. */
const ASK_AGAIN_MS = 2_000;

/** Options of a query that is repeated until it succeeds once. */
export const UNTIL_READ = {
  retry: false,
  staleTime: Number.POSITIVE_INFINITY,
  refetchInterval: ({ state }: { state: { data: unknown } }) =>
    state.data === undefined ? ASK_AGAIN_MS : false,
} as const;

/**
 * In place of the page of a lock or a counter that has not been read since the server began,
 * because its backend has not answered, or rejects requests.
 *
 * @param problem what the server says about that
 */
export function UnreadSubject({ name, problem }: { name: string; problem: string }) {
  return (
    <div className="page flex flex-col gap-3.5">
      <h1 className="min-w-0 text-20 font-[550] text-balance max-sm:text-[18px]">
        <WholeName name={name} />
      </h1>
      <div className="card flex items-start gap-2.5 px-3.5 py-4" role="status">
        <Icon name="question" size={16} className="mt-0.5 shrink-0 text-unknown" />
        <p className="text-14">
          State unknown. <VisibleText text={problem} /> It appears here as soon as it can be read.{' '}
          <NearLink href="/backends" className="link rounded-4">
            Backends
          </NearLink>
        </p>
      </div>
    </div>
  );
}
