import { CodeBlock } from './code-block';
import { FieldList } from './field-list';
import type { OutcomeDoc, ProcedureDoc } from './read-document';
import { RichText } from './rich-text';

/** One procedure: its description, input, answers, and how to call it. */
export function ProcedureSection({
  procedure,
  origin,
}: {
  procedure: ProcedureDoc;
  origin: string;
}) {
  const { name, method, title, description, fields, outcomes, statuses } = procedure;
  const hasOutcomes = outcomes.some(({ outcome }) => outcome !== null);
  return (
    <section id={name} aria-labelledby={`${name}-title`} className="docs-section">
      <div className="docs-pair">
        <div className="min-w-0">
          <h2 id={`${name}-title`} className="font-mono text-20 font-[550] break-words">
            {name}
          </h2>
          <p className="mt-1 flex flex-wrap items-baseline gap-x-2.5 gap-y-1 text-12 text-t2">
            <span
              className={`rounded-5 px-1.5 text-11 leading-[18px] font-[620] ${method === 'GET' ? 'bg-s3 text-t2' : 'bg-accbg text-acc'}`}
            >
              {method}
            </span>
            <code className="font-mono">/api/v1/{name}</code>
            <span className="text-t3">{title}</span>
          </p>
          <p className="mt-3 max-w-[72ch] text-14 text-t2">
            <RichText text={description} />
          </p>
          <h3 className="mt-5.5 pb-1.5 text-14 font-[620]">Input</h3>
          <FieldList fields={fields} of="input" />
        </div>
        <div className="docs-beside">
          <CodeBlock
            title="curl"
            text={curlCommand(origin, procedure)}
            copy={`Copy curl command for ${name}`}
          />
        </div>
      </div>
      <h3 className="mt-5.5 pb-1.5 text-14 font-[620]">{hasOutcomes ? 'Outcomes' : 'Response'}</h3>
      <div className="flex flex-col gap-3">
        {outcomes.map((each) => (
          <Outcome key={each.outcome ?? 'answer'} terms={each} />
        ))}
      </div>
      <p className="mt-4 text-12 text-t3">
        Error statuses: {statuses.join(', ')}.{' '}
        <a href="#errors" className="link">
          See errors
        </a>
      </p>
    </section>
  );
}

function Outcome({ terms: { outcome, description, fields, example } }: { terms: OutcomeDoc }) {
  return (
    <div className="docs-pair">
      <div className="docs-outcome">
        {outcome && <h4 className="font-mono text-13 font-[600] text-t1">{outcome}</h4>}
        <p className="max-w-[72ch] text-t2">
          <RichText text={description} />
        </p>
        {fields.length > 0 && <FieldList fields={fields} of="answer" />}
      </div>
      {example !== undefined && (
        <div className="docs-beside">
          <CodeBlock title="result.data" text={JSON.stringify(example, null, 2)} />
        </div>
      )}
    </div>
  );
}

/** A shell command that calls a procedure, with the key taken from the environment. */
export function curlCommand(
  origin: string,
  { name, method, example }: { name: string; method: 'GET' | 'POST'; example: unknown },
): string {
  const address = `${origin}/api/v1/${name}`;
  const key = `  -H "Authorization: Bearer $LOCKYARD_API_KEY" \\`;
  if (method === 'GET') {
    const fields = Object.entries(example as object).map(
      ([name, value]) => `  --data-urlencode ${name}=${quoted(String(value))}`,
    );
    return [`curl -sS -G ${address} \\`, key, fields.join(' \\\n')].join('\n');
  }
  const input = quoted(inputText(example));
  const type = `  -H 'Content-Type: application/json' \\`;
  return [`curl -sS ${address} \\`, key, type, `  -d ${input}`].join('\n');
}

const LINE_CHARS = 52;

/** As JSON, on several lines where one would be too long. */
function inputText(example: unknown): string {
  const text = JSON.stringify(example);
  if (text.length <= LINE_CHARS) return text;
  return JSON.stringify(example, null, 2).replaceAll('\n', '\n  ');
}

/** A text quoted as one shell word. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
