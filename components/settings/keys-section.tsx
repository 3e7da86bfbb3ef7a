'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { problemOf } from '../live/problem';
import { useTRPC, useTRPCClient } from '../live/trpc';
import { Button } from '../ui/controls/button';
import { Instant } from '../ui/instant';
import { ProblemNote } from '../ui/problem-note';
import { RowsSkeleton } from '../ui/rows-skeleton';
import { VisibleText } from '../ui/visible-text';
import { ConfirmDialog } from './confirm-dialog';
import { CreateKeyDialog } from './create-key-dialog';
import { SectionFrame } from './section-frame';

/** The keys by which services take locks. */
export function KeysSection({ now }: { now: number }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const { data: keys, error } = useQuery(trpc.keys.list.queryOptions());
  const [isMaking, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<{ id: string; name: string } | null>(null);
  const refresh = () => queries.invalidateQueries({ queryKey: trpc.keys.list.queryKey() });
  return (
    <SectionFrame
      title="API keys"
      intro="A key is a service’s name and its permission to take locks in namespaces."
      end={
        <Button tone="accent" onClick={() => setMaking(true)}>
          New key…
        </Button>
      }
    >
      {error && (
        <div className="p-3.5">
          <ProblemNote problem={problemOf(error)} title="The keys were not read." />
        </div>
      )}
      {!keys && !error && <RowsSkeleton />}
      {keys?.length === 0 && (
        <p className="px-3.5 py-4 text-t2">No service has a key yet, so nobody can take a lock.</p>
      )}
      {keys && keys.length > 0 && (
        <div className="list-in-card">
          <table className="list">
            <thead>
              <tr>
                <th scope="col">Service</th>
                <th scope="col">Namespaces</th>
                <th scope="col">Made</th>
                <th scope="col">Last used</th>
                <th scope="col" className="md:w-24">
                  <span className="sr-only">Revoke</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {keys.map((key) => (
                <tr key={key.id}>
                  <td
                    data-cell="main"
                    className={`font-mono ${key.revokedAt ? 'text-t3 line-through' : ''}`}
                  >
                    {key.name}
                  </td>
                  <td className="text-t2">{key.namespaces.join(', ')}</td>
                  <td className="text-t2">
                    <Instant at={key.createdAt} now={now} />
                    <span className="text-t3">
                      {' '}
                      by <VisibleText text={key.createdBy} />
                    </span>
                  </td>
                  <td className="text-t2">
                    {key.lastUsedAt === null ? (
                      <span className="text-t3">never used</span>
                    ) : (
                      <>
                        <span className="md:hidden">last used </span>
                        <Instant at={key.lastUsedAt} now={now} />
                      </>
                    )}
                  </td>
                  <td data-cell="act" className="text-right">
                    {key.revokedAt === null ? (
                      <Button size="small" tone="danger-word" onClick={() => setRevoking(key)}>
                        Revoke…
                      </Button>
                    ) : (
                      <span className="text-12 text-t3">revoked</span>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {isMaking && (
        <CreateKeyDialog onClose={() => setMaking(false)} onMade={() => void refresh()} />
      )}
      {revoking && (
        <ConfirmDialog
          title={`Revoke the key of ${revoking.name}?`}
          act="Revoke the key"
          onAct={async () => {
            await client.keys.revoke.mutate({ id: revoking.id });
            await refresh();
          }}
          onClose={() => setRevoking(null)}
        >
          Within a second every request with it is refused, waiting ones too. What the service holds
          runs out with its leases. This cannot be undone.
        </ConfirmDialog>
      )}
    </SectionFrame>
  );
}
