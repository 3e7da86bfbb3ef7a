import Link from 'next/link';
import type { BackendHealth } from '@/server/contract/console/lock-row';
import { plural } from '../format/counts';
import { RefusalNotice } from './refusal-notice';

/** That a backend's names are spread over several databases, how these are, and the way to them. */
export function ShardsSummary({ backend: { id, shards, refusal } }: { backend: BackendHealth }) {
  if (!shards) return null;
  const silent = shards.filter(({ reachable }) => !reachable).length;
  return (
    <div className="grid gap-2.5 border-line border-b px-3.5 py-2.5 text-13">
      {refusal && <RefusalNotice text={refusal} />}
      <p>
        Its names are spread over {plural(shards.length, 'database')}
        {!refusal && silent > 0 && (
          <span className="text-unknown">, of which {exactly(silent)} silent</span>
        )}
        .{' '}
        <Link href={`/backends/${encodeURIComponent(id)}`} className="link">
          Which names live where
        </Link>
      </p>
    </div>
  );
}

const exactly = (count: number) => (count === 1 ? 'one is' : `${count} are`);
