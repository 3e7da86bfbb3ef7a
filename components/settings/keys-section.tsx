'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { refetchEvery, useTRPCClient } from '../live/trpc';
import { Button } from '../ui/controls/button';
import { FormDialog } from '../ui/controls/form-dialog';
import { Instant } from '../ui/instant';
import { VisibleText } from '../ui/visible-text';
import { CreateKeyDialog } from './create-key-dialog';
import { type IdentifiedKey, KeyAccess, KeyExpiry, KeyIdentity } from './key-cells';
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
  const [revoking, setRevoking] = useState<(IdentifiedKey & { isWitness: boolean }) | null>(null);
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
          'Name',
          { label: 'Access', className: 'md:w-[20%] xl:w-[32%]' },
          'Created',
          { label: 'Last used', className: 'md:w-[12%]' },
          { label: 'Expires', className: 'md:w-[14%] xl:w-[12%]' },
        ]}
        areActionsWide
        rows={data?.pages.flatMap(({ rows }) => rows)}
        error={error}
        empty="No API keys yet. Services need one to acquire locks."
      >
        {(key) => (
          <tr key={key.id}>
            <td
              data-cell="main"
              className={`font-mono ${key.state === 'live' ? '' : 'text-t3 line-through'}`}
            >
              {key.name}
            </td>
            <td className="text-t2">
              <KeyAccess of={key} />
            </td>
            <td className="text-t2">
              <span className="md:hidden">created </span>
              <Instant at={key.createdAt} now={now} />{' '}
              <span className="inline-block text-t3">
                by <VisibleText text={key.createdBy} />
              </span>
            </td>
            <td className="text-t2">
              {key.lastUsedAt === null ? (
                <span className="text-t3">
                  never<span className="md:hidden"> used</span>
                </span>
              ) : (
                <>
                  <span className="md:hidden">last used </span>
                  <Instant at={key.lastUsedAt} now={now} />
                </>
              )}
            </td>
            <td className="text-t2">
              <KeyExpiry of={key} now={now} />
            </td>
            <td data-cell="act" className="text-right whitespace-nowrap">
              {key.state === 'live' ? (
                <>
                  {key.replacedBy === null && (
                    <Button size="small" className="mr-2" onClick={() => setRotating(key)}>
                      Rotate…
                    </Button>
                  )}
                  <Button size="small" tone="danger-word" onClick={() => setRevoking(key)}>
                    Revoke…
                  </Button>
                </>
              ) : (
                <span className="text-12 text-t3">{key.state}</span>
              )}
            </td>
          </tr>
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
        <FormDialog
          title={`Revoke key of ${revoking.name}?`}
          intro={
            revoking.isWitness
              ? 'Reports with this key are rejected within 1 s, and its evidence ages. This ' +
                'cannot be undone.'
              : 'Requests with this key are rejected within 1 s, including waiting ones. ' +
                'Existing holds end with their leases. This cannot be undone.'
          }
          action="Revoke key"
          isDangerous
          onSubmit={async (_, send) => {
            await send(client.keys.revoke.mutate({ id: revoking.id }));
            void refresh();
            setRevoking(null);
          }}
          onClose={() => setRevoking(null)}
        >
          <KeyIdentity of={revoking} now={now} />
        </FormDialog>
      )}
    </SectionFrame>
  );
}
