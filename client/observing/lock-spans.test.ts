import * as otel from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, test } from 'vitest';
import { LockyardClient } from '../lockyard-client';
import { granted, heldWork, outcomeOf, scriptedBench } from '../testing/scripted-bench';
import { until } from '../testing/test-clock';
import { withLock } from '../with-lock';
import { withLocks } from '../with-locks';
import type { TracingApi } from './lock-spans';

const bench = scriptedBench();
const exporter = new InMemorySpanExporter();

/** Throws at the call that the test chooses. */
const broken = {
  on: '',
  breakOn(act: string) {
    if (this.on === act) throw new Error(`tracing is broken on ${act}`);
  },
};
const brokenProcessor: SpanProcessor = {
  onStart: () => broken.breakOn('start'),
  onEnd: () => broken.breakOn('end'),
  forceFlush: async () => {},
  shutdown: async () => {},
};

beforeAll(() => {
  otel.context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  const spanProcessors = [new SimpleSpanProcessor(exporter), brokenProcessor];
  otel.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
});
afterAll(() => {
  otel.trace.disable();
  otel.context.disable();
});
beforeEach(() => exporter.reset());

const spans = () => exporter.getFinishedSpans();

function span(name: string): ReadableSpan {
  const found = spans().find((known) => known.name === name);
  if (!found) throw new Error(`no span ${name}`);
  return found;
}

const parentOf = (child: ReadableSpan) => child.parentSpanContext?.spanId;

test('the installed API has everything that is used', () => {
  expectTypeOf<typeof otel>().toExtend<TracingApi>();
});

describe('one span for a wait and one for a hold, within a common span', () => {
  test('say the lock, token and outcome; what the work starts is a child of the hold', async () => {
    const tracer = otel.trace.getTracer('test');
    const { client } = bench;
    const ended = tracer.startActiveSpan('caller', async (caller) => {
      const result = await withLock('job', { client, namespace: 'pay' }, async () => {
        await new Promise(setImmediate);
        tracer.startSpan('child').end();
        return withLock('job', { client, namespace: 'pay' }, () => 'inner');
      });
      caller.end();
      return result;
    });
    (await bench.server.next('lock.acquire')).answer(granted());
    (await bench.server.next('lock.release')).answer({ outcome: 'released' });
    expect(await ended).toBe('inner');
    expect(spans().map(({ name }) => name)).toEqual([
      'lockyard.wait',
      'child',
      'lockyard.hold',
      'lockyard.lock',
      'caller',
    ]);
    const lock = {
      'lockyard.namespace': 'pay',
      'lockyard.lock': 'job',
      'lockyard.mode': 'exclusive',
      'lockyard.token': 41,
    };
    const wait = span('lockyard.wait');
    const hold = span('lockyard.hold');
    expect(wait.attributes).toEqual({ ...lock, 'lockyard.outcome': 'granted' });
    expect(hold.attributes).toEqual({ ...lock, 'lockyard.outcome': 'released' });
    const whole = span('lockyard.lock');
    const { spanId } = whole.spanContext();
    expect([parentOf(wait), parentOf(hold)]).toEqual([spanId, spanId]);
    expect(parentOf(whole)).toBe(span('caller').spanContext().spanId);
    expect(parentOf(span('child'))).toBe(hold.spanContext().spanId);
    expect(wait.instrumentationScope).toMatchObject({ name: 'lockyard' });
    expect(hold.status.code).toBe(otel.SpanStatusCode.UNSET);
  });

  test('an error of the work is recorded', async () => {
    const error = new TypeError('could not write');
    const { client } = bench;
    const ended = outcomeOf(withLock('job', { client }, () => Promise.reject(error)));
    (await bench.server.next('lock.acquire')).answer(granted());
    (await bench.server.next('lock.release')).answer({ outcome: 'released' });
    expect(await ended).toBe(error);
    const { status, attributes, events } = span('lockyard.hold');
    expect(status).toEqual({ code: otel.SpanStatusCode.ERROR, message: 'could not write' });
    expect(attributes).toMatchObject({
      'lockyard.outcome': 'released',
      'error.type': 'TypeError',
    });
    expect(events).toMatchObject([{ name: 'exception' }]);
  });

  test('a lost hold is recorded with its cause', async () => {
    const work = heldWork();
    const ended = outcomeOf(withLock('job', { client: bench.client }, work.run));
    (await bench.server.next('lock.acquire')).answer(granted());
    await work.started();
    bench.clock.advance(10_000);
    (await bench.server.next('lock.renew')).answer({ outcome: 'lost', cause: 'expired', at: 5 });
    await until(() => work.isAborted);
    work.finish('done');
    expect(await ended).toMatchObject({ name: 'LockLost' });
    const { status, attributes } = span('lockyard.hold');
    expect(status.code).toBe(otel.SpanStatusCode.ERROR);
    expect(attributes).toMatchObject({
      'lockyard.outcome': 'lost',
      'lockyard.loss.cause': 'expired',
      'error.type': 'LockLost',
    });
  });

  test('a wait that timed out is an outcome, not an error; a refusal is an error', async () => {
    const { client } = bench;
    const late = outcomeOf(withLock('job', { client, waitMs: 0 }, () => 'never'));
    const held = { outcome: 'held', holders: [], queueLength: 0, retryAfterMs: 50 };
    (await bench.server.next('lock.acquire')).answer(held);
    await late;
    const refused = outcomeOf(withLock('job', { client }, () => 'never'));
    (await bench.server.next('lock.acquire')).refuse(403, 'FORBIDDEN');
    await refused;
    const waits = spans().filter(({ name }) => name === 'lockyard.wait');
    expect(spans()).toHaveLength(2 * waits.length);
    expect(waits).toMatchObject([
      {
        attributes: { 'lockyard.outcome': 'timeout' },
        status: { code: otel.SpanStatusCode.UNSET },
        events: [],
      },
      {
        attributes: { 'lockyard.outcome': 'failed', 'error.type': 'LockyardError' },
        status: { code: otel.SpanStatusCode.ERROR },
        events: [{ name: 'exception' }],
      },
    ]);
  });
});

describe('a hold is known by its trace', () => {
  const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
  const SPAN = '00f067aa0ba902b7';
  const traceparent = `00-${TRACE}-${SPAN}-01`;
  const linksOf = ({ links }: ReadableSpan) => links.map(({ context }) => context);

  test('an acquire carries the span of the whole call, whose ids others can link to', async () => {
    const ended = withLock('job', { client: bench.client }, () => 'done');
    const call = await bench.server.next('lock.acquire');
    call.answer(granted());
    const release = await bench.server.next('lock.release');
    release.answer({ outcome: 'released' });
    await ended;
    const { traceId, spanId } = span('lockyard.lock').spanContext();
    expect(call.request.headers.traceparent).toBe(`00-${traceId}-${spanId}-01`);
    expect(release.request.headers.traceparent).toBeUndefined();
    expect(span('lockyard.wait').spanContext().traceId).toBe(traceId);
  });

  test('a wait links to the hold that it waited for', async () => {
    const ended = withLock('job', { client: bench.client }, () => 'done');
    const facts = { waitedMs: 500, waitedForTraceparent: traceparent };
    (await bench.server.next('lock.acquire')).answer(granted(facts));
    (await bench.server.next('lock.release')).answer({ outcome: 'released' });
    await ended;
    expect(linksOf(span('lockyard.wait'))).toMatchObject([{ traceId: TRACE, spanId: SPAN }]);
    expect(linksOf(span('lockyard.hold'))).toEqual([]);
  });

  test('a wait without a grant links once to each holder that was sampled', async () => {
    const { client } = bench;
    const late = outcomeOf(withLock('job', { client, waitMs: 0 }, () => 'never'));
    const other = traceparent.replace('00f0', '11f0');
    const unsampled = `00-${TRACE}-22f067aa0ba902b7-00`;
    const holders = [traceparent, other, traceparent, unsampled, 'no trace', undefined];
    (await bench.server.next('lock.acquire')).answer({
      outcome: 'held',
      holders: holders.map((each) => ({ owner: 'other', traceparent: each })),
      queueLength: 0,
      retryAfterMs: 50,
    });
    expect(await late).toMatchObject({ name: 'LockTimeout' });
    expect(linksOf(span('lockyard.wait')).map(({ spanId }) => spanId)).toEqual([
      SPAN,
      '11f067aa0ba902b7',
    ]);
  });

  test('a multi-lock has one span, with links to the holds that delayed each lock', async () => {
    const ended = withLocks(['a', 'b'], { client: bench.client }, () => 'done');
    const call = await bench.server.next('lock.acquireMany');
    const { outcome, ...grant } = granted({ waitedForTraceparent: traceparent });
    call.answer({ outcome, grants: ['a', 'b'].map((name) => ({ ...grant, name })) });
    (await bench.server.next('lock.release')).answer({ outcome: 'released' });
    (await bench.server.next('lock.release')).answer({ outcome: 'released' });
    expect(await ended).toBe('done');
    const { traceId, spanId } = span('lockyard.lock').spanContext();
    expect(call.request.headers.traceparent).toBe(`00-${traceId}-${spanId}-01`);
    expect(linksOf(span('lockyard.wait'))).toMatchObject([{ traceId: TRACE, spanId: SPAN }]);
  });

  test('an API call carries the active or given span, unless that is not a trace', async () => {
    const { client } = bench;
    const sent = async (acquiring: Promise<unknown>) => {
      const call = await bench.server.next('lock.acquire');
      call.answer(granted());
      await acquiring;
      return call.request.headers.traceparent;
    };
    const ask = { name: 'job', leaseMs: 10_000 };
    const caller = otel.trace.getTracer('test').startSpan('caller');
    const within = otel.trace.setSpan(otel.context.active(), caller);
    const { traceId, spanId } = caller.spanContext();
    expect(await sent(otel.context.with(within, () => client.acquire(ask)))).toBe(
      `00-${traceId}-${spanId}-01`,
    );
    expect(await sent(client.acquire(ask, { traceparent }))).toBe(traceparent);
    expect(await sent(client.acquire(ask))).toBeUndefined();
    for (const bad of ['', 'x\r\ny: z', traceparent.toUpperCase()]) {
      expect(await sent(client.acquire(ask, { traceparent: bad }))).toBeUndefined();
    }
  });

  test('no instrumentation of fetch adds a header of its own to one', async () => {
    const SUPPRESSED = Symbol.for('OpenTelemetry SDK Context Key SUPPRESS_TRACING');
    const isTraced: boolean[] = [];
    const client = new LockyardClient({
      url: bench.url,
      apiKey: 'secret-key',
      fetch: (...request) => {
        isTraced.push(otel.context.active().getValue(SUPPRESSED) !== true);
        return fetch(...request);
      },
    });
    const ended = withLock('job', { client }, () => 'done');
    (await bench.server.next('lock.acquire')).answer(granted());
    (await bench.server.next('lock.release')).answer({ outcome: 'released' });
    await ended;
    expect(isTraced).toEqual([false, true]);
  });
});

test.each(['start', 'end'])(
  'tracing that breaks on the %s of a span harms nothing',
  async (act) => {
    broken.on = act;
    try {
      const ended = withLock('job', { client: bench.client }, () => 'done');
      (await bench.server.next('lock.acquire')).answer(granted());
      (await bench.server.next('lock.release')).answer({ outcome: 'released' });
      expect(await ended).toBe('done');
    } finally {
      broken.on = '';
    }
  },
);
