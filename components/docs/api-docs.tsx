import Link from 'next/link';
import type { OpenApiDocument } from '@/server/api/rpc/openapi/openapi-shape';
import { Mark } from '../icons/mark';
import { CodeBlock } from './code-block';
import { ErrorSection } from './error-section';
import { FieldList } from './field-list';
import { ProcedureSection } from './procedure-section';
import { errorsOf, type ProcedureDoc, proceduresOf, shapesOf } from './read-document';
import { RichText } from './rich-text';

const DESCRIPTION = '/api/v1/openapi.json';

/** The service API for people who will call it: made from the description that programs read. */
export function ApiDocs({ document, origin }: { document: OpenApiDocument; origin: string }) {
  const procedures = proceduresOf(document);
  const shapes = shapesOf(document, procedures);
  return (
    <div className="docs">
      <a href="#main" className="skip-link">
        Skip to the page
      </a>
      <header className="docs-bar">
        <Link href="/" className="flex items-center gap-2.5 text-14 font-[620]">
          <Mark size={22} />
          Lockyard
        </Link>
        <span className="text-14 text-t2">API</span>
        <span className="ml-auto flex items-center gap-2">
          <a href={DESCRIPTION} className="button" data-size="small">
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
          <section aria-labelledby="shapes-title" className="docs-section">
            <h2 id="shapes-title" className="text-20 font-[640]">
              Shapes
            </h2>
            <div className="docs-shapes">
              {shapes.map(({ name, says, fields }) => (
                <div key={name} id={name} className="docs-outcome">
                  <h3 className="font-mono text-13 font-[600]">{name}</h3>
                  <p className="text-t2">{says}</p>
                  <FieldList fields={fields} of="answer" />
                </div>
              ))}
            </div>
          </section>
          <ErrorSection refusals={errorsOf(document)} />
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
          <a href="#refusals">Refusals</a>
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
          title="Before the examples"
          text="export LOCKYARD_API_KEY=YOUR_KEY"
          copy="Copy the line"
        />
        <p className="text-12 text-t3">
          An admin makes a key in the console under Settings, or on the server with{' '}
          <code className="docs-code" data-long="true">
            npm run -s lockyard -- keys create
          </code>
          .
        </p>
      </div>
    </section>
  );
}
