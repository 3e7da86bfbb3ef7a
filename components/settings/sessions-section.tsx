'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { failureTitleWithoutRetry } from '../live/problem';
import { refetchEvery, useTRPC, useTRPCClient } from '../live/trpc';
import { Button } from '../ui/controls/button';
import { useSubmit } from '../ui/controls/use-submit';
import { Instant } from '../ui/instant';
import { ProblemNote } from '../ui/problem-note';
import { SectionFrame } from './section-frame';
import { SectionTable } from './section-table';

/** The last use of a session is stored once a minute. */
const POLL_MS = 10_000;

/** The user's own open sessions, and signing them out. */
export function SessionsSection({ now }: { now: number }) {
  const trpc = useTRPC();
  const { session } = useTRPCClient();
  const queries = useQueryClient();
  const { data: rows, error } = useQuery(
    trpc.session.list.queryOptions(undefined, {
      refetchInterval: (query) => refetchEvery(POLL_MS, query),
    }),
  );
  const [done, setDone] = useState('');
  const { isBusy, problem, submit } = useSubmit();
  const run = (act: () => Promise<string>) => {
    setDone('');
    void submit(async () => {
      setDone(await act());
      await queries.invalidateQueries({ queryKey: trpc.session.list.queryKey() });
    });
  };
  const end = (id: string) =>
    run(async () => {
      const { ended, signedOut } = await session.end.mutate({ id });
      if (signedOut) window.location.assign('/sign-in');
      return ended ? 'Session signed out.' : 'That session had already ended.';
    });
  const endOthers = () =>
    run(async () => {
      await session.endOthers.mutate();
      return 'All other sessions signed out.';
    });
  return (
    <SectionFrame
      title="Your sessions"
      intro={
        'A session ends after 30 min without use, and 12 h after signing in. Once signed out ' +
        'here, its requests are rejected within 1 s. Browser and address are those of the sign-in.'
      }
      end={
        rows?.some(({ isCurrent }) => !isCurrent) && (
          <Button disabled={isBusy} onClick={endOthers}>
            Sign out all others
          </Button>
        )
      }
    >
      <SectionTable
        of="your sessions"
        columns={[
          { label: 'Browser', className: 'md:w-[32%]' },
          'Address',
          'Signed in',
          'Last used',
        ]}
        rows={rows}
        error={error}
      >
        {({ id, isCurrent, browser, address, startedAt, lastUsedAt }) => (
          <tr key={id}>
            <td data-cell="main">
              {browser ?? <span className="text-t3">Unknown browser</span>}
              {isCurrent && <span className="font-[450] text-acc"> (this session)</span>}
            </td>
            <td className="text-t2">
              {address ?? <span className="text-t3">unknown address</span>}
            </td>
            <td className="text-t2">
              <span className="md:hidden">signed in </span>
              <Instant at={startedAt} now={now} />
            </td>
            <td className="text-t2">
              <span className="md:hidden">last used </span>
              <Instant at={lastUsedAt} now={now} />
            </td>
            <td data-cell="act" className="text-right">
              <Button size="small" disabled={isBusy} onClick={() => end(id)}>
                Sign out
              </Button>
            </td>
          </tr>
        )}
      </SectionTable>
      {problem && (
        <div className="p-3.5">
          <ProblemNote problem={problem} title={failureTitleWithoutRetry(problem)} />
        </div>
      )}
      <p role="status" className={done ? 'px-3.5 pb-3 text-acc' : ''}>
        {done}
      </p>
    </SectionFrame>
  );
}
