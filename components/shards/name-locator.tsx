'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useId, useState } from 'react';
import { counterPath, lockPath } from '../format/lock-path';
import { problemOf } from '../live/problem';
import { useTRPC } from '../live/trpc';
import { useDebounced } from '../live/use-debounced';
import { ProblemNote } from '../ui/problem-note';

/** Where a name lives, whether or not anybody has used it. */
export function NameLocator({ backend, spaces }: { backend: string; spaces: string[] }) {
  const id = useId();
  const [namespace, setNamespace] = useState(spaces[0] ?? '');
  const [name, setName] = useState('');
  if (spaces.length === 0) {
    return <p className="text-t2">No namespace lives on this backend yet, so it has no names.</p>;
  }
  return (
    <section className="card px-3.5 py-3" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} className="pb-2.5 font-[620]">
        Where does a name live?
      </h2>
      <div className="home-finder">
        <div>
          <label htmlFor={`${id}-space`} className="mb-1.5 block text-12 text-t2">
            Namespace
          </label>
          <select
            id={`${id}-space`}
            className="field"
            value={namespace}
            onChange={(event) => setNamespace(event.target.value)}
          >
            {spaces.map((space) => (
              <option key={space}>{space}</option>
            ))}
          </select>
        </div>
        <div>
          <label htmlFor={`${id}-name`} className="mb-1.5 block text-12 text-t2">
            Name, byte by byte
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
  const settled = useDebounced(name);
  const { data, error } = useQuery(
    trpc.backends.home.queryOptions(
      { backend, namespace, name: settled },
      { enabled: settled !== '', placeholderData: keepPreviousData },
    ),
  );
  if (error && settled !== '') {
    return (
      <div className="pt-3">
        <ProblemNote problem={problemOf(error)} title="This was not found out." />
      </div>
    );
  }
  const isKnown = data !== undefined && settled !== '';
  return (
    <dl className="home-answer" aria-live="polite">
      <div>
        <dt>
          {isKnown ? (
            <Link href={lockPath(namespace, settled)} prefetch={false} className="link">
              The lock
            </Link>
          ) : (
            'The lock'
          )}
        </dt>
        <dd className="font-mono">{isKnown ? data.lock : '–'}</dd>
      </div>
      <div>
        <dt>
          {isKnown ? (
            <Link href={counterPath(namespace, settled)} prefetch={false} className="link">
              The counter
            </Link>
          ) : (
            'The counter'
          )}
        </dt>
        <dd className="font-mono">{isKnown ? data.counter : '–'}</dd>
      </div>
    </dl>
  );
}
