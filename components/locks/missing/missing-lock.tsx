'use client';

import { useQueries } from '@tanstack/react-query';
import type { LockRow } from '@/server/contract/console/lock-row';
import { CodeBlock } from '../../docs/code-block';
import { useTRPC } from '../../live/trpc';
import { Panel } from '../../ui/panel';
import { StatusBadge } from '../../ui/status-badge';
import { LockLink } from '../lock-link';
import { acquireCommand } from './acquire-command';
import { mostAlike, searchedParts } from './similar-names';

const SHOWN = 5;
const SEARCHED = 50;

/** Whether a lock has no record: it was never used, or its record was deleted. */
export const isMissing = ({ rev, status }: LockRow): boolean => rev === 0 && status === 'free';

/** For a lock without a record: locks with similar names, and a command that acquires it. */
export function MissingLock({ row: { namespace, name } }: { row: LockRow }) {
  const trpc = useTRPC();
  const found = useQueries({
    queries: searchedParts(name).map((search) =>
      trpc.locks.list.queryOptions({ search, limit: SEARCHED }),
    ),
    combine: (answers) => ({
      isPending: answers.some(({ isPending }) => isPending),
      rows: answers.flatMap(({ data }) => data?.rows ?? []),
    }),
  });
  const unique = [...new Map(found.rows.map((row) => [row.id, row])).values()];
  const others = unique.filter((row) => row.namespace !== namespace || row.name !== name);
  const alike = mostAlike(name, others, SHOWN);
  return (
    <>
      <Similar alike={alike} isPending={found.isPending} />
      <CodeBlock
        title="A lock exists from its first acquire. This command acquires it for 2 min."
        text={acquireCommand(namespace, name)}
        copy="Copy the command"
      />
    </>
  );
}

function Similar({ alike, isPending }: { alike: readonly LockRow[]; isPending: boolean }) {
  return (
    <Panel title="Similar names">
      {alike.length === 0 ? (
        <p className="px-3.5 py-3 text-t2">
          {isPending ? '\u00a0' : 'No lock has a similar name.'}
        </p>
      ) : (
        <ul className="flex flex-col py-1.5">
          {alike.map((row) => (
            <li key={row.id} className="flex min-w-0 flex-wrap items-center gap-x-3 px-3.5 py-1.5">
              <StatusBadge status={row.status} />
              <LockLink namespace={row.namespace} name={row.name} />
              <span className="text-12 text-t3">{row.namespace}</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
