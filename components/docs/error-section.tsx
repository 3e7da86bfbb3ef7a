import type { Reason } from '@/server/contract/errors';
import { REASON_LABELS } from '@/server/contract/reason-labels';
import { CodeBlock } from './code-block';
import { RichText } from './rich-text';

const EXAMPLE = {
  error: {
    message: 'This is not a valid API key.',
    code: -32001,
    data: {
      code: 'UNAUTHORIZED',
      httpStatus: 401,
      reason: 'UNAUTHENTICATED',
      path: 'lock.acquire',
      requestId: 'V1StGXR8_Z5jdHi6',
    },
  },
};

/** Every reason for which a call may be refused, and its status. */
export function ErrorSection({ refusals }: { refusals: { status: number; reasons: string[] }[] }) {
  const rows = refusals.flatMap(({ status, reasons }) =>
    reasons.map((reason) => ({ status, reason })),
  );
  return (
    <section id="refusals" aria-labelledby="refusals-title" className="docs-section docs-pair">
      <div className="min-w-0">
        <h2 id="refusals-title" className="text-20 font-[640]">
          Refusals
        </h2>
        <p className="mt-2 max-w-[72ch] text-14 text-t2">
          <RichText text="A refusal has a status of 400 or more. Decide by `error.data.reason`: its names are a contract. With 429 and 503 `error.data.retryAfterMs` and the header `Retry-After` say when to come back." />
        </p>
        <dl className="docs-fields mt-4">
          {rows.map(({ status, reason }) => (
            <div key={reason}>
              <dt>
                <code className="font-mono text-12 font-[550]">{reason}</code>
                <span className="text-11 text-t3">{status}</span>
              </dt>
              <dd className="max-w-[68ch] text-t2">
                <RichText text={REASON_LABELS[reason as Reason]} />
              </dd>
            </div>
          ))}
        </dl>
      </div>
      <div className="docs-beside">
        <CodeBlock title="401, as JSON" text={JSON.stringify(EXAMPLE, null, 2)} />
      </div>
    </section>
  );
}
