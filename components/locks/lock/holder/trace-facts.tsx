import type { HoldRow } from '@/server/contract/console/lock-row';
import { traceIds } from '@/server/contract/trace-link';
import { Fact } from '../../../ui/facts/facts';
import { OpenTrace } from '../../open-trace';

const ID_SHOWN = 8;

/** The traces of a hold, as facts of a list: its own, and that of the previous hold. */
export function TraceFacts({ hold }: { hold: HoldRow }) {
  const { traceparent, waitedForTraceparent } = hold;
  return (
    <>
      {traceparent && <TraceFact label="Trace" traceparent={traceparent} />}
      {waitedForTraceparent && <TraceFact label="Waited for" traceparent={waitedForTraceparent} />}
    </>
  );
}

function TraceFact({ label, traceparent }: { label: string; traceparent: string }) {
  const { traceId, isSampled } = traceIds(traceparent);
  return (
    <Fact label={label} className="flex flex-wrap items-baseline gap-x-2.5">
      <span className="font-mono text-12" title={`Trace id ${traceId}`}>
        {traceId.slice(0, ID_SHOWN)}…
      </span>
      {!isSampled && <span className="text-12 text-t3">not sampled</span>}
      <OpenTrace traceparent={traceparent} />
    </Fact>
  );
}
