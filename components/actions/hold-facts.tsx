'use client';

import type { ReactNode } from 'react';
import { exactCount, ordinal, plural } from '../format/counts';
import { agoWords, spokenDuration } from '../format/durations';
import { shortToken } from '../format/tokens';
import { useAtBackend } from '../live/reading';
import { renewalDueAt, stillRenews } from '../locks/lock-facts';
import { useIsClosed } from '../shell/use-guarantees';
import { Duration } from '../ui/duration';
import { ExactName } from '../ui/exact-name';
import { Instant } from '../ui/instant';
import { VisibleText } from '../ui/visible-text';
import { type HoldSide, nextInLine, staysShut } from './hold-snapshot';

interface Fact {
  word: string;
  of: (side: HoldSide, backend: string) => ReactNode;
}

const Quiet = ({ children }: { children: ReactNode }) => (
  <span className="text-t3">{children}</span>
);

const FACTS: Fact[] = [
  { word: 'Held by', of: (side) => <HeldBy side={side} /> },
  { word: 'Alive', of: (side, backend) => <Alive side={side} backend={backend} /> },
  { word: 'Since', of: (side, backend) => <Since side={side} backend={backend} /> },
  { word: 'Waiting', of: (side, backend) => <Waiting side={side} backend={backend} /> },
  { word: 'Next', of: (side, backend) => <Next side={side} backend={backend} /> },
];

const SIDE_FACTS: Fact[] = [
  ...FACTS,
  {
    word: 'Token',
    of: ({ hold }) =>
      hold ? <span title={String(hold.token)}>{shortToken(hold.token)}</span> : <Quiet>–</Quiet>,
  },
];

/** What the act is about, as a list; two columns when another hold is there now. */
export function HoldFacts({
  seen,
  now,
  backend,
}: {
  seen: HoldSide;
  /** Null while it is still what was seen. */
  now: HoldSide | null;
  backend: string;
}) {
  if (!now) {
    return (
      <dl className="facts">
        {FACTS.map(({ word, of }) => (
          <div key={word}>
            <dt>{word}</dt>
            <dd>{of(seen, backend)}</dd>
          </div>
        ))}
      </dl>
    );
  }
  return (
    <table className="facts facts-two">
      <thead>
        <tr>
          <td />
          <th scope="col">You saw</th>
          <th scope="col">Now</th>
        </tr>
      </thead>
      <tbody>
        {SIDE_FACTS.map(({ word, of }) => (
          <tr key={word}>
            <th scope="row">{word}</th>
            <td>{word === 'Alive' ? <Quiet>it has ended</Quiet> : of(seen, backend)}</td>
            <td>{of(now, backend)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function HeldBy({ side: { hold } }: { side: HoldSide }) {
  if (!hold) return <Quiet>nobody</Quiet>;
  const { host, pid } = hold.life?.meta ?? {};
  return (
    <>
      <ExactName name={hold.owner} className="font-[550]" />
      {host && (
        <>
          {' on '}
          <VisibleText text={host} />
        </>
      )}
      {pid && (
        <>
          {', pid '}
          <VisibleText text={pid} />
        </>
      )}
      <Quiet>
        {' '}
        · service {hold.service}
        {hold.set && `, one of ${hold.set.size} taken together`}
      </Quiet>
    </>
  );
}

function Alive({ side: { hold }, backend }: { side: HoldSide; backend: string }) {
  const life = hold?.life;
  const seconds = useAtBackend(backend, (now) =>
    life ? Math.floor((now - life.renewedAt) / 1_000) : 0,
  );
  const isAlive = useAtBackend(backend, (now) => life !== undefined && stillRenews(life, now));
  const dueSeconds = useAtBackend(backend, (now) => {
    const dueAt = life ? renewalDueAt(life) : null;
    return dueAt === null ? 0 : Math.round((dueAt - now) / 1_000);
  });
  if (!hold) return <Quiet>–</Quiet>;
  if (!life) return <Quiet>not read yet</Quiet>;
  if (life.renewals === 0) return 'never renewed so far';
  const due =
    dueSeconds >= 0
      ? `next due in ${spokenDuration(dueSeconds * 1_000)}`
      : `next is ${spokenDuration(-dueSeconds * 1_000)} late`;
  return (
    <>
      <b className="font-[550]">renewed {agoWords(seconds * 1_000)}</b>
      <Quiet>
        {' '}
        · {exactCount(life.renewals)} {life.renewals === 1 ? 'time' : 'times'}, {due}
        {!isAlive && '; it may be gone'}
      </Quiet>
    </>
  );
}

function Since({ side: { hold }, backend }: { side: HoldSide; backend: string }) {
  const now = useAtBackend(backend, (at) => Math.floor(at / 1_000) * 1_000);
  if (!hold) return <Quiet>–</Quiet>;
  return (
    <>
      <Instant at={hold.grantedAt} now={now} clock={backend} />,{' '}
      <b className="font-[550]">
        <Duration ms={now - hold.grantedAt} />
      </b>{' '}
      ago
    </>
  );
}

function Waiting({ side, backend }: { side: HoldSide; backend: string }) {
  const now = useAtBackend(backend, (at) => Math.floor(at / 1_000) * 1_000);
  if (side.waiters === 0) return <Quiet>nobody</Quiet>;
  const first = nextInLine(side);
  return (
    <>
      <b className="font-[550]">{exactCount(side.waiters)}</b>
      {side.oldestWaitAt !== null && (
        <Quiet>
          {' '}
          · the oldest {spokenDuration(now - side.oldestWaitAt)}
          {first && `, gives up in ${spokenDuration(first.patienceUntil - now)}`}
        </Quiet>
      )}
    </>
  );
}

function Next({ side, backend }: { side: HoldSide; backend: string }) {
  const next = nextInLine(side);
  const shut = staysShut(side, useIsClosed(backend));
  if (shut === 'closed') return <Quiet>nobody: {backend} grants nothing at the moment</Quiet>;
  if (shut === 'frozen') return <Quiet>nobody: the lock is frozen</Quiet>;
  if (shut === 'shared') return <Quiet>nobody: {plural(side.others, 'other')} share it</Quiet>;
  if (side.waiters === 0) return <Quiet>nobody: the lock becomes free</Quiet>;
  if (!next) return <Quiet>the {ordinal(1)} in the queue</Quiet>;
  return (
    <>
      <ExactName name={next.owner} className="font-[550]" />
      <Quiet>
        {' '}
        · service {next.service}
        {next.setSize && `, which waits for ${next.setSize} locks together`}
      </Quiet>
    </>
  );
}
