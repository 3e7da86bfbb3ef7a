import { createRequire } from 'node:module';
import type { Wish } from './await-grant';
import manifest from './package.json' with { type: 'json' };

type Attributes = Record<string, string | number>;

/** What is used of a span of `@opentelemetry/api`. */
export interface LockSpan {
  setAttributes(attributes: Attributes): unknown;
  recordException(exception: Error): void;
  setStatus(status: { code: 2; message?: string }): unknown;
  end(): void;
}

/** What is used of the module `@opentelemetry/api`, which is loaded only where it is installed. */
export interface TracingApi {
  trace: {
    getTracer(
      name: string,
      version: string,
    ): { startSpan(name: string, options: { attributes: Attributes }): LockSpan };
    // biome-ignore lint/suspicious/noExplicitAny: contexts and spans are passed on as they are.
    setSpan(context: any, span: any): any;
  };
  context: {
    active(): unknown;
    // biome-ignore lint/suspicious/noExplicitAny: contexts are passed on as they are.
    with<T>(context: any, run: () => T): T;
  };
}

const ERROR = 2;

const NO_SPAN: LockSpan = {
  setAttributes: () => {},
  recordException: () => {},
  setStatus: () => {},
  end: () => {},
};

let found: TracingApi | null | undefined;

/** `@opentelemetry/api`, as the program that uses this package sees it; null where it is not installed. */
function tracingApi(): TracingApi | null {
  if (found === undefined) {
    try {
      found = createRequire(import.meta.url)('@opentelemetry/api') as TracingApi;
    } catch {
      found = null;
    }
  }
  return found;
}

export function lockAttributes({ namespace, name, mode }: Wish): Attributes {
  return { 'lockyard.namespace': namespace, 'lockyard.lock': name, 'lockyard.mode': mode };
}

/**
 * Runs within a span, which ends with it; whatever `run` starts becomes a child. What `run` throws is recorded, unless
 * `isExpected` says that it is an ordinary outcome.
 */
export async function inSpan<T>(
  name: string,
  attributes: Attributes,
  run: (span: LockSpan) => Promise<T>,
  isExpected: (error: unknown) => boolean = () => false,
): Promise<T> {
  const api = tracingApi();
  if (!api) return run(NO_SPAN);
  const tracer = api.trace.getTracer('lockyard', manifest.version);
  const span = tracer.startSpan(name, { attributes });
  try {
    return await api.context.with(api.trace.setSpan(api.context.active(), span), () => run(span));
  } catch (error) {
    if (!isExpected(error)) recordError(span, error);
    throw error;
  } finally {
    span.end();
  }
}

function recordError(span: LockSpan, error: unknown): void {
  const known = error instanceof Error ? error : new Error(String(error));
  span.recordException(known);
  span.setAttributes({ 'error.type': known.name });
  span.setStatus({ code: ERROR, message: known.message });
}
