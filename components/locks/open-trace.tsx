'use client';

import { traceIds, traceLink } from '@/server/contract/trace-link';
import { useSession } from '../live/session';

/** A link to the trace of a hold; nothing where it is not sampled, or no address shows traces. */
export function OpenTrace({ traceparent }: { traceparent: string | undefined }) {
  const { traceUrl } = useSession();
  if (!traceparent || !traceUrl || !traceIds(traceparent).isSampled) return null;
  return (
    <a
      href={traceLink(traceUrl, traceparent)}
      target="_blank"
      rel="noopener noreferrer"
      className="link shrink-0 rounded-4 text-12"
    >
      Open trace<span className="sr-only"> in a new tab</span>
    </a>
  );
}
