import type { GuaranteeRow } from '@/server/contract/console/guarantee-row';
import type { BackendHealth } from '@/server/contract/console/lock-row';
import type { NamespaceRow } from '@/server/contract/console/namespace-row';
import { Icon } from '../icons/icon';
import { ShardsSummary } from '../shards/shards-summary';
import { BackendFacts } from './backend-facts';
import { DataLossNotice } from './data-loss-notice';
import { GuaranteeBadge } from './guarantee-badge';
import { GuaranteeCheck } from './guarantee-check';
import { GuaranteeVerdict } from './guarantee-verdict';
import { KIND_LABELS } from './store-labels';
import { StoreSettings } from './store-settings';

/** One backend: what it can promise and why, how it is, and the settings that were read of it. */
export function BackendCard({
  backend,
  row,
  spaces,
}: {
  backend: BackendHealth;
  /** Null where it could not be read for the first paint. */
  row: GuaranteeRow | null;
  spaces: NamespaceRow[] | null;
}) {
  const { id, kind, reachable } = backend;
  return (
    <li
      aria-label={`Backend ${id}`}
      className={`card ${reachable ? '' : 'border-dashed border-unknown!'}`}
    >
      <div className="flex items-center gap-2.5 border-line border-b px-3.5 py-2.5">
        <Icon
          name={reachable ? 'database' : 'question'}
          size={18}
          className={reachable ? 'text-t2' : 'text-unknown'}
        />
        <h2 className="min-w-0 truncate font-[620]">{id}</h2>
        <span className="min-w-0 truncate text-12 text-t3">{KIND_LABELS[kind] ?? kind}</span>
        <span className="ml-auto">
          <GuaranteeBadge row={row} />
        </span>
      </div>
      {backend.loss && <DataLossNotice loss={backend.loss} />}
      <ShardsSummary backend={backend} />
      <div className="backend-parts">
        <GuaranteeVerdict row={row} />
        <BackendFacts backend={backend} spaces={spaces} />
        <div className="flex flex-col gap-2">
          {row?.reading && <StoreSettings backend={id} settings={row.reading.settings} />}
          {row && <GuaranteeCheck row={row} />}
        </div>
      </div>
    </li>
  );
}
