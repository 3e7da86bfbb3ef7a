import { refusalsOf } from '@/server/contract/console/backend-health';
import type { ShardsPage } from '@/server/contract/console/shard-row';
import { exactCount } from '@/server/core/format/numbers';
import { Silence } from '../backends/aged-reading';
import { latencyText } from '../format/durations';
import { knownCount } from '../format/numbers';
import { Icon } from '../icons/icon';
import { type Column, TableHead } from '../ui/table-head';

const COLUMNS: Column[] = [
  ...['Database', 'Status'],
  ...['Latency', 'Locks', 'Counters'].map((label) => ({ label, isNumber: true })),
  'Share of names',
  { label: 'Names', isHidden: true },
];

type Shard = ShardsPage['shards'][number];

/** The shards, one per row. A button of each shows only the names on it. */
export function ShardTable({
  shards,
  closed,
  only,
  onOnly,
}: {
  shards: Shard[];
  /** Why the whole backend grants nothing, in a few words; null while it grants. */
  closed: string | null;
  only: string | null;
  onOnly: (shard: string | null) => void;
}) {
  const names = shards.map(({ locks, counters }) => locks + counters);
  const most = Math.max(1, ...names);
  const all = shards.every(({ reachable }) => reachable)
    ? names.reduce((sum, each) => sum + each, 0)
    : null;
  return (
    <div className="card list-in-card">
      <table className="list shard-list">
        <TableHead columns={COLUMNS} />
        <tbody>
          {shards.map((shard) => (
            <ShardRow
              key={shard.id}
              shard={shard}
              closed={closed}
              most={most}
              all={all}
              isShown={only === shard.name}
              onShow={() => onOnly(only === shard.name ? null : shard.name)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** At least 2 px wide for a single name; the shard with the most names fills its bar. */
const barOf = (names: number, most: number) =>
  names === 0 ? '0' : `max(2px, ${(100 * names) / most}%)`;

const percentText = (names: number, all: number) =>
  all === 0 ? '–' : `${Math.round((100 * names) / all)}\u202f%`;

function ShardRow({
  shard,
  closed,
  most,
  all,
  isShown,
  onShow,
}: {
  shard: Shard;
  closed: string | null;
  /** The names of the shard that has the most. */
  most: number;
  /** The names of all shards; null while some of them do not serve. */
  all: number | null;
  isShown: boolean;
  onShow: () => void;
}) {
  const { name, reachable, latencyMs, silentForMs, locks, counters, loss } = shard;
  const [rejected] = refusalsOf(shard);
  const noGrants = closed ?? ((loss?.quietForMs ?? 0) > 0 ? 'grants paused' : null);
  return (
    <tr>
      <td data-cell="main">
        <span className="flex items-center gap-2 font-[550]">
          <Icon
            name={reachable ? 'database' : 'question'}
            size={16}
            className={`shrink-0 ${reachable ? 'text-t3' : 'text-unknown'}`}
          />
          <span className="min-w-0 font-mono">{name}</span>
        </span>
      </td>
      <td data-cell="state">
        {rejected ? (
          <>
            <span className="text-dangertext">rejects requests</span>
            <p className="text-12 text-t2 [overflow-wrap:anywhere]">{rejected.reason}</p>
          </>
        ) : !reachable ? (
          <span className="text-unknown">
            no response <Silence ms={silentForMs} />
          </span>
        ) : noGrants === null ? (
          'healthy'
        ) : (
          <span className="text-dangertext">{noGrants}</span>
        )}
      </td>
      <td data-cell="trip" data-number="true" className="text-t2">
        {latencyMs === null || !reachable ? (
          <span className="text-t3">unknown</span>
        ) : (
          latencyText(latencyMs)
        )}
      </td>
      <td data-cell="count" data-label={locks === 1 ? 'lock' : 'locks'} data-number="true">
        <Count of={locks} isKnown={reachable} />
      </td>
      <td data-cell="count" data-label={counters === 1 ? 'counter' : 'counters'} data-number="true">
        <Count of={counters} isKnown={reachable} />
      </td>
      <td data-cell="share">
        <span className="flex items-center gap-2">
          <span className="room-bar flex-1" aria-hidden="true">
            <span style={{ inlineSize: barOf(locks + counters, most) }} />
          </span>
          <span className="min-w-9 text-right text-t2">
            {all === null ? '?' : percentText(locks + counters, all)}
            <span className="md:hidden"> of names</span>
          </span>
        </span>
      </td>
      <td data-cell="act">
        <button type="button" className="link" aria-pressed={isShown} onClick={onShow}>
          {isShown ? 'Show all' : 'Show names'}
          <span className="sr-only">{isShown ? '' : ` on ${name}`}</span>
        </button>
      </td>
    </tr>
  );
}

function Count({ of, isKnown }: { of: number; isKnown: boolean }) {
  if (isKnown) return exactCount(of);
  const known = knownCount(of, true);
  return (
    <span className="text-t3" title={known === null ? 'Unknown' : 'Last known'}>
      {known === null ? '?' : exactCount(known)}
    </span>
  );
}
