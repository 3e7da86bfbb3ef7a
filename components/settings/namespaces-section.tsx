'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import Link from 'next/link';
import { useId, useState } from 'react';
import type { NamespaceRow } from '@/server/domain/namespace-row';
import { countText } from '../format/counts';
import { problemOf } from '../live/problem';
import { useSession } from '../live/session';
import { useTRPC, useTRPCClient } from '../live/trpc';
import { Button } from '../ui/button';
import { Field } from '../ui/field';
import { Instant } from '../ui/instant';
import { ProblemNote } from '../ui/problem-note';
import { RowsToCome } from '../ui/rows-to-come';
import { FormDialog } from './form-dialog';
import { PolicyDialog } from './policy-dialog';
import { policyWords } from './policy-words';
import { SectionFrame } from './section-frame';

/** The spaces in which locks have their names. */
export function NamespacesSection({ now }: { now: number }) {
  const trpc = useTRPC();
  const { may } = useSession();
  const { data: namespaces, error } = useQuery(trpc.namespaces.list.queryOptions());
  const [isMaking, setMaking] = useState(false);
  const [changing, setChanging] = useState<NamespaceRow | null>(null);
  return (
    <SectionFrame
      title="Namespaces"
      intro="A team’s space, with a policy: what its callers may ask for. Locks of one name in two namespaces are two locks."
      end={
        may('admin') && (
          <Button tone="accent" onClick={() => setMaking(true)}>
            New namespace…
          </Button>
        )
      }
    >
      {error && (
        <div className="p-3.5">
          <ProblemNote problem={problemOf(error)} title="The namespaces were not read." />
        </div>
      )}
      {!namespaces && !error && <RowsToCome />}
      {namespaces && (
        <div className="list-in-card">
          <table className="list">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Backend</th>
                <th scope="col" className="md:w-[44%]">
                  Policy
                </th>
                <th scope="col">Made</th>
                <th scope="col" className="text-right md:w-24">
                  Locks
                </th>
              </tr>
            </thead>
            <tbody>
              {namespaces.map((namespace) => {
                const { name, backend, createdAt, locks, policy, hasOwnPolicy } = namespace;
                return (
                  <tr key={name}>
                    <td data-cell="main" className="font-mono">
                      <Link href={`/?namespace=${encodeURIComponent(name)}`} className="rounded-4">
                        {name}
                      </Link>
                    </td>
                    <td className="text-t2">
                      <span className="md:hidden">on </span>
                      {backend}
                    </td>
                    <td data-cell="wide" className="text-12 text-t2">
                      <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
                        <span>
                          {!hasOwnPolicy && <span className="text-t3">the default: </span>}
                          {policyWords(policy)}
                        </span>
                        {may('admin') && (
                          <Button
                            size="small"
                            aria-label={`Change the policy of ${name}`}
                            onClick={() => setChanging(namespace)}
                          >
                            Change…
                          </Button>
                        )}
                      </span>
                    </td>
                    <td className="text-t2">
                      <Instant at={createdAt} now={now} />
                    </td>
                    <td data-cell="act" className={`text-right ${locks === 0 ? 'text-t3' : ''}`}>
                      {countText(locks)}
                      <span className="md:hidden"> locks</span>
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
      {changing && <PolicyDialog of={changing} onClose={() => setChanging(null)} />}
      {isMaking && <CreateNamespaceDialog onClose={() => setMaking(false)} />}
    </SectionFrame>
  );
}

function CreateNamespaceDialog({ onClose }: { onClose: () => void }) {
  const id = useId();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const { data: backends } = useQuery(trpc.backends.list.queryOptions());
  return (
    <FormDialog
      title="A new namespace"
      intro="Its backend cannot be changed later."
      act="Make the namespace"
      onClose={onClose}
      onAct={async (form) => {
        await client.namespaces.create.mutate({
          name: String(form.get('name')).trim(),
          backend: String(form.get('backend') ?? 'default'),
        });
        await queries.invalidateQueries({ queryKey: trpc.namespaces.list.queryKey() });
        onClose();
      }}
    >
      <Field
        label="Name"
        hint="a to z, digits and . _ -"
        name="name"
        mono
        required
        maxLength={63}
        pattern="[a-z0-9][a-z0-9._\-]*"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
      />
      <div>
        <label htmlFor={id} className="mb-1.5 block font-[550]">
          Backend
        </label>
        <select id={id} name="backend" className="field" defaultValue="default">
          {(backends ?? []).map((backend) => (
            <option key={backend.id} value={backend.id}>
              {backend.id} ({backend.kind})
            </option>
          ))}
        </select>
      </div>
    </FormDialog>
  );
}
