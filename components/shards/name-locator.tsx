'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useId, useState } from 'react';
import { counterPath, lockPath } from '@/server/core/paths/console-path';
import { problemOf } from '../live/problem';
import { useTRPC } from '../live/trpc';
import { useDebounced } from '../live/use-debounced';
import { ProblemNote } from '../ui/problem-note';

/** Shows the shard of a name, whether or not the name is in use. */
export function NameLocator({
  backend,
  namespaces,
}: {
  backend: string;
  /** Null while they are not known. */
  namespaces: string[] | null;
}) {
  const id = useId();
  const [chosen, setChosen] = useState<string | null>(null);
  const [name, setName] = useState('');
  if (namespaces === null) {
    return <p className="text-t2">Namespaces unknown: no name can be located.</p>;
  }
  const namespace = namespaces.find((each) => each === chosen) ?? namespaces[0];
  if (namespace === undefined) {
    return <p className="text-t2">No namespaces on this backend yet.</p>;
  }
  return (
    <section className="card px-3.5 py-3" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} className="pb-2.5 font-[620]">
        Locate a name
      </h2>
      <div className="grid gap-x-3.5 gap-y-2.5 sm:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]">
        <div>
          <label htmlFor={`${id}-namespace`} className="mb-1.5 block text-12 text-t2">
            Namespace
          </label>
          <select
            id={`${id}-namespace`}
            className="field"
            value={namespace}
            onChange={(event) => setChosen(event.target.value)}
          >
            {namespaces.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </div>
        <div>
          <label htmlFor={`${id}-name`} className="mb-1.5 block text-12 text-t2">
            Exact name
          </label>
          <input
            id={`${id}-name`}
            className="field font-mono"
            value={name}
            maxLength={200}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            onChange={(event) => setName(event.target.value)}
          />
        </div>
      </div>
      <NameLocation backend={backend} namespace={namespace} name={name} />
    </section>
  );
}

function NameLocation({
  backend,
  namespace,
  name,
}: {
  backend: string;
  namespace: string;
  name: string;
}) {
  const trpc = useTRPC();
  const exact = useDebounced(name);
  const { data, error } = useQuery(
    trpc.backends.home.queryOptions({ backend, namespace, name: exact }, { enabled: exact !== '' }),
  );
  if (error && exact !== '') {
    return (
      <div className="pt-3">
        <ProblemNote problem={problemOf(error)} title="Lookup failed" />
      </div>
    );
  }
  // The result that is shown and linked is for the name in the field.
  const found = exact === '' || exact !== name ? undefined : data;
  const rows = [
    { label: 'Lock', path: lockPath, shard: found?.lock },
    { label: 'Counter', path: counterPath, shard: found?.counter },
  ];
  return (
    <dl className="grid gap-1 pt-3" aria-live="polite">
      {rows.map(({ label, path, shard }) => (
        <div key={label} className="grid grid-cols-[92px_minmax(0,1fr)] gap-3">
          <dt className="text-t2">
            {shard === undefined ? (
              label
            ) : (
              <Link href={path(namespace, exact)} prefetch={false} className="link">
                {label}
              </Link>
            )}
          </dt>
          <dd className="font-mono [overflow-wrap:anywhere]">{shard ?? '–'}</dd>
        </div>
      ))}
    </dl>
  );
}
