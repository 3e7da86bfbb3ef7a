import type { CounterRow } from '@/server/contract/console/counter-row';
import { exactCount } from '@/server/core/format/numbers';
import { Rev } from '../ui/rev';
import { ExactName } from '../ui/visible-text';
import { boundsLabel } from './counter-labels';

/** The counter that a dialog is about, as the operator saw it. */
export function CounterSummary({ row }: { row: CounterRow }) {
  const { name, namespace, value, rev } = row;
  return (
    <dl className="facts mb-0">
      <div>
        <dt>Counter</dt>
        <dd>
          <ExactName name={name} /> <span className="text-12 text-t3">{namespace}</span>
        </dd>
      </div>
      <div>
        <dt>Value</dt>
        <dd>
          <b className="font-[550]">{value === null ? 'unknown' : exactCount(value)}</b>{' '}
          <span className="text-12 text-t3">
            at{'\u00a0'}
            <Rev rev={rev} />
          </span>
        </dd>
      </div>
      <div>
        <dt>Limits</dt>
        <dd>{boundsLabel(row)}</dd>
      </div>
    </dl>
  );
}
