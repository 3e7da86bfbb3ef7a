import * as otel from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { withLock } from '@/client/lockyard';

/**
 * A program that acquires each of some locks several times concurrently, traced as any program is:
 * `traced-callers <calls for each lock> <until: at once | input> <name…>`. A hold lasts for a
 * moment, or until there is input. It ends once all calls have ended and all spans are sent.
 */
const [calls = '', until, ...names] = process.argv.slice(2);

const provider = new BasicTracerProvider({
  resource: resourceFromAttributes({ 'service.name': 'traced-callers' }),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
otel.trace.setGlobalTracerProvider(provider);
otel.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

const input =
  until === 'input' ? new Promise((resolve) => process.stdin.once('data', resolve)) : null;
const tracer = otel.trace.getTracer('traced-callers');

await Promise.all(
  names.flatMap((name) =>
    Array.from({ length: Number(calls) }, () =>
      tracer.startActiveSpan('job', async (job) => {
        await withLock(name, { leaseMs: 120_000, waitMs: 120_000 }, () => input);
        job.end();
      }),
    ),
  ),
);
await provider.shutdown();
process.exit();
