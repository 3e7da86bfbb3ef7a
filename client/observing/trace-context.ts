import { type Attributes, inSpan, type LockSpan, tracingApi } from './lock-spans';

/** A `traceparent` of version 00, as Lockyard answers it. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

const SAMPLED = 1;

/** The key of a context that keeps the SDK and its instrumentations from tracing. */
const SUPPRESS_TRACING = Symbol.for('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

/** The `traceparent` that names this span; undefined if it is not a valid span. */
function traceparentOf(span: Pick<LockSpan, 'spanContext'>): string | undefined {
  const { traceId, spanId, traceFlags } = span.spanContext();
  const text = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  return TRACEPARENT.test(text) ? text : undefined;
}

/**
 * Runs the wait and the hold of one lock call within a span. Other traces can link to it, since it
 * starts before the acquire that carries its `traceparent`.
 */
export function inLockSpan<T>(
  attributes: Attributes,
  run: (traceparent: string | undefined) => Promise<T>,
): Promise<T> {
  // Errors are recorded once, by the span of the wait or of the hold.
  const isRecorded = () => true;
  return inSpan('lockyard.lock', attributes, (span) => run(traceparentOf(span)), isRecorded);
}

/** The `traceparent` of the active span; undefined if there is none. */
export function activeTraceparent(): string | undefined {
  const api = tracingApi();
  try {
    const ids = api?.trace.getSpanContext(api.context.active());
    return ids && traceparentOf({ spanContext: () => ids });
  } catch {
    return undefined;
  }
}

/**
 * A header with that `traceparent`; empty if it is not valid, since tracing must not fail a lock.
 */
export function traceHeader(traceparent: string | undefined): { traceparent?: string } {
  return traceparent !== undefined && TRACEPARENT.test(traceparent) ? { traceparent } : {};
}

/**
 * Sends a request that already carries a `traceparent`. Instrumentations of `fetch` would add one
 * of their own, and a request with two has no valid one.
 */
export function withoutOtherTraces<T>(send: () => T): T {
  const api = tracingApi();
  if (!api) return send();
  return api.context.with(api.context.active().setValue(SUPPRESS_TRACING, true), send);
}

/** Links the span of a wait to the spans of the holds that it waited for, where they are known. */
export function linkToHolds(
  span: LockSpan,
  holds: readonly { traceparent?: string | undefined }[],
): void {
  const linked = new Set(holds.map(({ traceparent }) => traceparent));
  for (const traceparent of linked) {
    const [, traceId, spanId, flags = ''] = TRACEPARENT.exec(traceparent ?? '') ?? [];
    const traceFlags = Number.parseInt(flags, 16);
    // A span that was not sampled is not stored anywhere.
    if (traceId && spanId && traceFlags & SAMPLED) {
      span.addLink?.({ context: { traceId, spanId, traceFlags } });
    }
  }
}
