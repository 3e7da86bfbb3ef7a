'use client';

import { useState } from 'react';
import { Icon } from '../icons/icon';
import { LiveIndicator } from '../live/live-indicator';
import { failureTitleWithoutRetry } from '../live/problem';
import { useSession } from '../live/session';
import { useTRPCClient } from '../live/trpc';
import type { LinkState } from '../live/use-live';
import { Button } from '../ui/controls/button';
import { CopyButton } from '../ui/controls/copy-button';
import { SecretOnce } from '../ui/controls/secret-once';
import { useSubmit } from '../ui/controls/use-submit';
import { ProblemNote } from '../ui/problem-note';

const KEY_NAME = 'first-service';
const NAMESPACE = 'default';

const FIRST_STEPS =
  'Acquire your first lock with one HTTP request: you need an API key and this server’s URL.';

/** Before the first lock: a first API key, a command that acquires a lock, and the wait for it. */
export function FirstLock({
  origin,
  gap,
  link,
  onRetry,
}: {
  origin: string;
  /** See `gapNote`. */
  gap: string;
  link: LinkState;
  onRetry: () => void;
}) {
  const { may } = useSession();
  const client = useTRPCClient();
  const [key, setKey] = useState<string | null>(null);
  const { isBusy, problem, submit } = useSubmit();
  const create = () =>
    submit(async () => {
      const created = await client.keys.create.mutate({ name: KEY_NAME, namespaces: [NAMESPACE] });
      setKey(created.key);
    });
  const line = acquireCommand(origin, key);
  return (
    <section className="max-w-[820px] px-[var(--gutter)] pt-10 pb-16 max-md:pt-6">
      <h2 className="text-23 font-[600] text-balance">
        {gap === '' ? 'No locks yet' : 'No locks known'}
      </h2>
      <p className="mt-1.5 max-w-[60ch] text-14 text-t2">
        {gap === '' ? FIRST_STEPS : `${gap} Whether there are locks is unknown.`}
      </p>
      <ol className="mt-7 flex flex-col gap-7">
        <Step place={1} title="Create an API key" isDone={key !== null}>
          {key !== null ? (
            <SecretOnce what="key" secret={key} />
          ) : may('admin') ? (
            <div className="flex flex-wrap items-center gap-3">
              <Button tone="accent" onClick={() => void create()} disabled={isBusy}>
                <Icon name="key" size={15} />
                {isBusy ? 'Creating…' : 'Create API key'}
              </Button>
              <span className="text-12 text-t3">
                for service <code className="font-mono text-t2">{KEY_NAME}</code> in namespace{' '}
                <code className="font-mono text-t2">{NAMESPACE}</code>
              </span>
            </div>
          ) : (
            <p className="text-t2">Ask an admin for a key (Settings, API keys).</p>
          )}
          {problem && (
            <div className="mt-3">
              <ProblemNote problem={problem} title={failureTitleWithoutRetry(problem)} />
            </div>
          )}
        </Step>
        <Step place={2} title="Acquire a lock" isDone={false}>
          <div className="overflow-hidden rounded-10 border border-line bg-s1">
            <div className="flex min-h-10 items-center gap-3 border-line border-b py-1 pr-2 pl-3.5">
              <span className="flex-1 text-12 text-t3">
                Held for 2 min.{key === null && ' Replace YOUR_KEY with your key.'}
              </span>
              <CopyButton text={line} label="Copy the command" />
            </div>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it */}
            <pre className="overflow-x-auto px-3.5 py-3 font-mono text-12 leading-5" tabIndex={0}>
              {line}
            </pre>
          </div>
        </Step>
        <Step place={3} title="See it appear" isDone={false}>
          <p className="flex flex-wrap items-center gap-x-4 text-t2">
            Waiting for the first lock…
            <LiveIndicator link={link} onRetry={onRetry} />
          </p>
        </Step>
      </ol>
    </section>
  );
}

function Step({
  place,
  title,
  isDone,
  children,
}: {
  place: number;
  title: string;
  isDone: boolean;
  children: React.ReactNode;
}) {
  return (
    <li className="grid grid-cols-[24px_minmax(0,1fr)] gap-x-3.5">
      <span
        className={`flex size-6 items-center justify-center rounded-5 border text-12 font-[550] ${isDone ? 'border-transparent bg-accbg text-acc' : 'border-line2 text-t2'}`}
      >
        {isDone ? <Icon name="check" size={14} /> : place}
      </span>
      <div className="min-w-0">
        <h3 className="mb-2.5 text-14 leading-6 font-[620]">{title}</h3>
        {children}
      </div>
    </li>
  );
}

/** A shell line that acquires a lock for two minutes; without a key it has a placeholder for it. */
function acquireCommand(origin: string, key: string | null): string {
  return [
    `curl -sS ${origin}/api/v1/lock.acquire \\`,
    `  -H 'Authorization: Bearer ${key ?? 'YOUR_KEY'}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '{"name":"first-lock","owner":"my-shell","leaseMs":120000}'`,
  ].join('\n');
}
