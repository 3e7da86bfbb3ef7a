import { createRequire } from 'node:module';
import manifest from '../package.json' with { type: 'json' };
import type { LockRequest } from '../waiting/await-grant';

export type Attributes = Record<string, string | number>;

/** What identifies a span in other processes. */
interface SpanIds {
  traceId: string;
  spanId: string;
  traceFlags: number;
}

/** The methods used of a span of `@opentelemetry/api`. */
export interface LockSpan {
  spanContext(): SpanIds;
  /** Absent in older versions of that API. */
  addLink?(link: { context: SpanIds }): unknown;
  setAttributes(attributes: Attributes): unknown;
  recordException(exception: Error): void;
  setStatus(status: { code: 2; message?: string }): unknown;
  end(): void;
}

/** The functions used of `@opentelemetry/api`, which is loaded only if it is installed. */
export interface TracingApi {
  trace: {
    getTracer(
      name: string,
      version: string,
    ): { startSpan(name: string, options: { attributes: Attributes }): LockSpan };
    // biome-ignore lint/suspicious/noExplicitAny: contexts and spans are passed on as they are.
    setSpan(context: any, span: any): any;
    // biome-ignore lint/suspicious/noExplicitAny: contexts are passed on as they are.
    getSpanContext(context: any): SpanIds | undefined;
  };
  context: {
    active(): { setValue(key: symbol, value: unknown): unknown };
    // biome-ignore lint/suspicious/noExplicitAny: contexts are passed on as they are.
    with<T>(context: any, run: () => T): T;
  };
}

const ERROR = 2;

const NO_IDS: SpanIds = { traceId: '', spanId: '', traceFlags: 0 };

const NO_SPAN: LockSpan = {
  spanContext: () => NO_IDS,
  setAttributes: () => {},
  recordException: () => {},
  setStatus: () => {},
  end: () => {},
};

let found: TracingApi | null | undefined;

/** `@opentelemetry/api` as the program that uses this package sees it; null if not installed. */
export function tracingApi(): TracingApi | null {
  if (found === undefined) {
    try {
      found = createRequire(import.meta.url)('@opentelemetry/api') as TracingApi;
    } catch {
      found = null;
    }
  }
  return found;
}

export function lockAttributes({ namespace, name, mode }: LockRequest): Attributes {
  return { 'lockyard.namespace': namespace, 'lockyard.lock': name, 'lockyard.mode': mode };
}

/**
 * Runs `run` within a span, which ends with it; spans that `run` starts become its children. What
 * `run` throws is recorded, unless `isExpected` says that it is an ordinary outcome. Errors of the
 * tracing itself are ignored.
 */
export async function inSpan<T>(
  name: string,
  attributes: Attributes,
  run: (span: LockSpan) => Promise<T>,
  isExpected: (error: unknown) => boolean = () => false,
): Promise<T> {
  const { span, within } = startSpan(name, attributes);
  try {
    return await within(() => run(span));
  } catch (error) {
    if (!isExpected(error)) recordError(span, error);
    throw error;
  } finally {
    span.end();
  }
}

interface StartedSpan {
  span: LockSpan;
  within<T>(run: () => T): T;
}

function startSpan(name: string, attributes: Attributes): StartedSpan {
  const api = tracingApi();
  if (!api) return UNTRACED;
  try {
    const tracer = api.trace.getTracer('lockyard', manifest.version);
    const span = tracer.startSpan(name, { attributes });
    const context = api.trace.setSpan(api.context.active(), span);
    return { span: withoutThrowing(span), within: (run) => api.context.with(context, run) };
  } catch {
    return UNTRACED;
  }
}

const UNTRACED: StartedSpan = { span: NO_SPAN, within: (run) => run() };

/** Span processors and exporters may throw within these methods. */
function withoutThrowing(span: LockSpan): LockSpan {
  const ignoringErrors = (act: () => unknown) => {
    try {
      act();
    } catch {
      // It must not affect the lock or its work.
    }
  };
  return {
    spanContext: () => {
      try {
        return span.spanContext();
      } catch {
        return NO_IDS;
      }
    },
    addLink: (link) => ignoringErrors(() => span.addLink?.(link)),
    setAttributes: (attributes) => ignoringErrors(() => span.setAttributes(attributes)),
    recordException: (exception) => ignoringErrors(() => span.recordException(exception)),
    setStatus: (status) => ignoringErrors(() => span.setStatus(status)),
    end: () => ignoringErrors(() => span.end()),
  };
}

function recordError(span: LockSpan, error: unknown): void {
  const known = error instanceof Error ? error : new Error(String(error));
  span.recordException(known);
  span.setAttributes({ 'error.type': known.name });
  span.setStatus({ code: ERROR, message: known.message });
}
