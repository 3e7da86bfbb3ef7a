const SAMPLED = 1;

/** The ids in a stored `traceparent`, and whether its trace is sampled. */
export function traceIds(kept: string): { traceId: string; spanId: string; isSampled: boolean } {
  const [, traceId = '', spanId = '', flags = ''] = kept.split('-');
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
}

/** The link to a trace. @param template a URL with `{traceId}`, and optionally `{spanId}` */
export function traceLink(template: string, kept: string): string {
  const { traceId, spanId } = traceIds(kept);
  return template
    .replaceAll('{traceId}', encodeURIComponent(traceId))
    .replaceAll('{spanId}', encodeURIComponent(spanId));
}
