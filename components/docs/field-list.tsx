import type { FieldDoc } from './read-document';
import { RichText } from './rich-text';

/** Fields of an input or answer: an input marks what is required, an answer what is optional. */
export function FieldList({ fields, of }: { fields: FieldDoc[]; of: 'input' | 'answer' }) {
  return (
    <dl className="docs-fields">
      {fields.map((field) => (
        <div key={field.name}>
          <dt>
            <code className="font-mono text-12 font-[550]">{field.name}</code>
            <Presence field={field} of={of} />
          </dt>
          <dd>
            <span className="font-mono text-12 text-t3">
              {field.type}
              {field.shape && (
                <>
                  {' '}
                  <a href={`#${field.shape}`} className="link">
                    {field.shape}
                  </a>
                </>
              )}
              {field.fallback !== null && `, default ${field.fallback}`}
            </span>
            {field.description && (
              <p className="max-w-[68ch] text-t2">
                <RichText text={field.description} />
              </p>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Presence({ field, of }: { field: FieldDoc; of: 'input' | 'answer' }) {
  if (of === 'input' && field.isRequired) {
    return <span className="text-11 text-acc">required</span>;
  }
  if (of === 'answer' && !field.isRequired) {
    return <span className="text-11 text-t3">optional</span>;
  }
  return null;
}
