import Link from 'next/link';
import { REASON_LABELS, type Reason } from '@/server/contract/errors';
import type { OpenApiDocument } from '@/server/contract/openapi/openapi-shape';
import { Mark } from '../icons/mark';
import { SkipLink } from '../shell/skip-link';
import { CodeBlock } from './code-block';
import { FieldList } from './field-list';
import { ProcedureSection } from './procedure-section';
import { errorsOf, type ProcedureDoc, proceduresOf, shapesOf } from './read-document';
import { RichText } from './rich-text';

const OPENAPI_PATH = '/api/v1/openapi.json';

const ERROR_EXAMPLE = {
  error: {
    message: 'Invalid API key.',
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

/** The reference of the service API, made from its OpenAPI document. */
export function ApiDocs({ document, origin }: { document: OpenApiDocument; origin: string }) {
  const procedures = proceduresOf(document);
  const shapes = shapesOf(document, procedures);
  return (
    <div className="docs">
      <SkipLink />
      <header className="sticky top-0 z-10 flex h-[52px] items-center gap-3 border-line border-b bg-s1 px-[var(--gutter)]">
        <Link href="/" className="flex items-center gap-2.5 text-14 font-[620]">
          <Mark size={22} />
          Lockyard
        </Link>
        <span className="text-14 text-t2">API reference</span>
        <span className="ml-auto flex items-center gap-2">
          <a href={OPENAPI_PATH} className="button" data-size="small">
            openapi.json
          </a>
          <Link href="/" className="button max-sm:hidden" data-size="small">
            Console
          </Link>
        </span>
      </header>
      <div className="docs-body">
        <Contents procedures={procedures} shapes={shapes.map(({ name }) => name)} />
        <main id="main" tabIndex={-1} className="min-w-0 outline-none">
          <Introduction info={document.info} />
          {procedures.map((procedure) => (
            <ProcedureSection key={procedure.name} procedure={procedure} origin={origin} />
          ))}
          <section aria-labelledby="objects-title" className="docs-section">
            <h2 id="objects-title" className="text-20 font-[640]">
              Objects
            </h2>
            <div className="mt-3.5 grid gap-3 xl:grid-cols-2 xl:gap-5">
              {shapes.map(({ name, description, fields }) => (
                <div key={name} id={name} className="docs-outcome">
                  <h3 className="font-mono text-13 font-[600]">{name}</h3>
                  <p className="text-t2">{description}</p>
                  <FieldList fields={fields} of="answer" />
                </div>
              ))}
            </div>
          </section>
          <ErrorSection errors={errorsOf(document)} />
        </main>
      </div>
    </div>
  );
}

function Contents({ procedures, shapes }: { procedures: ProcedureDoc[]; shapes: string[] }) {
  return (
    <nav aria-label="On this page" className="docs-contents">
      <ul>
        {procedures.map(({ name }) => (
          <li key={name}>
            <a href={`#${name}`} className="font-mono text-12">
              {name}
            </a>
          </li>
        ))}
      </ul>
      <ul>
        {shapes.map((name) => (
          <li key={name}>
            <a href={`#${name}`}>{name}</a>
          </li>
        ))}
        <li>
          <a href="#errors">Errors</a>
        </li>
      </ul>
    </nav>
  );
}

function Introduction({
  info: { title, summary, description },
}: {
  info: OpenApiDocument['info'];
}) {
  return (
    <section aria-labelledby="title" className="docs-section docs-pair">
      <div className="min-w-0">
        <h1 id="title" className="text-23 font-[640]">
          {title}
        </h1>
        <p className="mt-1 text-14 text-t2">{summary}</p>
        <div className="mt-5 flex max-w-[72ch] flex-col gap-3 text-14 text-t2">
          {description.split('\n\n').map((paragraph) => (
            <p key={paragraph.slice(0, 40)}>
              <RichText text={paragraph} />
            </p>
          ))}
        </div>
      </div>
      <div className="docs-beside">
        <CodeBlock
          title="Set your key for the examples"
          text="export LOCKYARD_API_KEY=YOUR_KEY"
          copy="Copy command"
        />
        <p className="text-12 text-t3">
          Admins create keys in the console under Settings, or on the server with{' '}
          <code className="docs-code" data-long="true">
            npm run -s lockyard -- keys create
          </code>
          .
        </p>
      </div>
    </section>
  );
}

function ErrorSection({ errors }: { errors: { status: number; reasons: string[] }[] }) {
  const rows = errors.flatMap(({ status, reasons }) =>
    reasons.map((reason) => ({ status, reason })),
  );
  return (
    <section id="errors" aria-labelledby="errors-title" className="docs-section docs-pair">
      <div className="min-w-0">
        <h2 id="errors-title" className="text-20 font-[640]">
          Errors
        </h2>
        <p className="mt-2 max-w-[72ch] text-14 text-t2">
          <RichText
            text={
              'Errors have a status of 400 or more. Branch on `error.data.reason`; its values ' +
              'are stable. With 429 and 503, `error.data.retryAfterMs` and the header ' +
              '`Retry-After` say when to retry.'
            }
          />
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
        <CodeBlock title="Example: 401" text={JSON.stringify(ERROR_EXAMPLE, null, 2)} />
      </div>
    </section>
  );
}
