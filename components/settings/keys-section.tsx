'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { refetchEvery, useTRPCClient } from '../live/trpc';
import { Button } from '../ui/controls/button';
import { Instant } from '../ui/instant';
import { VisibleText } from '../ui/visible-text';
import { CreateKeyDialog } from './create-key-dialog';
import { type IdentifiedKey, KeyAccess, KeyExpiry, type ListedKey } from './key-cells';
import { type RevocableKey, RevokeKeyDialog } from './revoke-key-dialog';
import { RotateKeyDialog } from './rotate-key-dialog';
import { SectionFrame } from './section-frame';
import { SectionTable } from './section-table';

const FIRST_PAGE: string | undefined = undefined;

/** People look at when a key was last used before they revoke it; that is stored once a minute. */
const POLL_MS = 10_000;

/** The API keys of services. */
export function KeysSection({ now }: { now: number }) {
  const client = useTRPCClient();
  const {
    data,
    error,
    refetch: refresh,
    hasNextPage,
    isFetchingNextPage,
    fetchNextPage,
  } = useInfiniteQuery({
    queryKey: ['keys.list'],
    queryFn: ({ pageParam: before }) => client.keys.list.query({ before }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ older }) => older,
    refetchInterval: (query) => refetchEvery(POLL_MS, query),
  });
  const [isCreating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<RevocableKey | null>(null);
  const [rotating, setRotating] = useState<IdentifiedKey | null>(null);
  return (
    <SectionFrame
      title="API keys"
      intro={
        'API keys identify a service and grant access to namespaces; limits narrow a key ' +
        'further. A witness key can only report which processes are alive.'
      }
      end={
        <Button tone="accent" onClick={() => setCreating(true)}>
          New key…
        </Button>
      }
    >
      <SectionTable
        of="API keys"
        columns={[
          { label: 'Name', className: 'md:w-[22%] xl:w-[25%]' },
          { label: 'Access', className: 'md:w-[18%] xl:w-[23%]' },
          'Created',
          { label: 'Last used', className: 'md:w-[12%] xl:w-[11%]' },
          { label: 'Expires', className: 'md:w-[14%] xl:w-[11%]' },
        ]}
        areActionsWide
        rows={data?.pages.flatMap(({ rows }) => rows)}
        error={error}
        empty="No API keys yet. Services need one to acquire locks."
      >
        {(key) => (
          <KeyRow
            key={key.id}
            of={key}
            now={now}
            onRotate={() => setRotating(key)}
            onRevoke={() => setRevoking(key)}
          />
        )}
      </SectionTable>
      {hasNextPage && (
        <Button className="m-3" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {isFetchingNextPage ? 'Loading…' : 'Load older keys'}
        </Button>
      )}
      {isCreating && (
        <CreateKeyDialog onClose={() => setCreating(false)} onCreated={() => void refresh()} />
      )}
      {rotating && (
        <RotateKeyDialog
          of={rotating}
          now={now}
          onClose={() => setRotating(null)}
          onRotated={() => void refresh()}
        />
      )}
      {revoking && (
        <RevokeKeyDialog
          of={revoking}
          now={now}
          onClose={() => setRevoking(null)}
          onRevoked={() => void refresh()}
        />
      )}
    </SectionFrame>
  );
}

/** A key in the table, with its actions while it is live. */
function KeyRow({
  of,
  now,
  onRotate,
  onRevoke,
}: {
  of: ListedKey;
  now: number;
  onRotate: () => void;
  onRevoke: () => void;
}) {
  return (
    <tr>
      <td
        data-cell="main"
        className={`font-mono ${of.state === 'live' ? '' : 'text-t3 line-through'}`}
      >
        {of.name}
      </td>
      <td className="text-t2">
        <KeyAccess of={of} />
      </td>
      <td className="text-t2">
        <span className="md:hidden">created </span>
        <Instant at={of.createdAt} now={now} />{' '}
        <span className="inline-block text-t3">
          by <VisibleText text={of.createdBy} />
        </span>
      </td>
      <td className="text-t2">
        {of.lastUsedAt === null ? (
          <span className="text-t3">
            never<span className="md:hidden"> used</span>
          </span>
        ) : (
          <>
            <span className="md:hidden">last used </span>
            <Instant at={of.lastUsedAt} now={now} />
          </>
        )}
      </td>
      <td className="text-t2">
        <KeyExpiry of={of} now={now} />
      </td>
      <td data-cell="act" className="text-right whitespace-nowrap">
        {of.state === 'live' ? (
          <>
            {of.replacedBy === null && (
              <Button size="small" className="mr-2" onClick={onRotate}>
                Rotate…
              </Button>
            )}
            <Button size="small" tone="danger-word" onClick={onRevoke}>
              Revoke…
            </Button>
          </>
        ) : (
          <span className="text-12 text-t3">{of.state}</span>
        )}
      </td>
    </tr>
  );
}
