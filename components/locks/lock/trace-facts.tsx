import type { HoldRow } from '@/server/contract/console/lock-row';
import { traceIds, traceLink } from '@/server/contract/trace-link';

const ID_SHOWN = 8;

/** The traces that a hold is known by, as facts of a list: its own, and that of the hold before. */
export function TraceFacts({ hold, traceUrl }: { hold: HoldRow; traceUrl: string | undefined }) {
  const { traceparent, waitedForTraceparent } = hold;
  return (
    <>
      {traceparent && <TraceFact word="Trace" traceparent={traceparent} traceUrl={traceUrl} />}
      {waitedForTraceparent && (
        <TraceFact word="Waited for" traceparent={waitedForTraceparent} traceUrl={traceUrl} />
      )}
    </>
  );
}

function TraceFact({
  word,
  traceparent,
  traceUrl,
}: {
  word: string;
  traceparent: string;
  traceUrl: string | undefined;
}) {
  const { traceId, isSampled } = traceIds(traceparent);
  return (
    <div>
      <dt>{word}</dt>
      <dd className="flex flex-wrap items-baseline gap-x-2.5">
        <span className="font-mono text-12" title={`Trace id ${traceId}`}>
          {traceId.slice(0, ID_SHOWN)}…
        </span>
        {!isSampled && <span className="text-12 text-t3">not sampled</span>}
        {isSampled && traceUrl && (
          <a
            href={traceLink(traceUrl, traceparent)}
            target="_blank"
            rel="noopener noreferrer"
            className="link rounded-4"
          >
            Open trace<span className="sr-only"> in a new tab</span>
          </a>
        )}
      </dd>
    </div>
  );
}
