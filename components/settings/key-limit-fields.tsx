import { KEY_VERB_LABELS, KEY_VERBS, type KeyVerb } from '@/server/contract/key-verbs';
import { DAY_MS } from '@/server/core/time-units';
import { Field } from '../ui/controls/field';
import { DurationChoice } from './duration-choice';

const LIVES = [
  { label: 'Never', ms: 0 },
  { label: '30 days', ms: 30 * DAY_MS },
  { label: '90 days', ms: 90 * DAY_MS },
  { label: '1 year', ms: 365 * DAY_MS },
];

/** How a key is limited beyond its namespaces. A field that is left unchanged does not limit it. */
export function KeyLimitFields() {
  return (
    <>
      <Field
        label="Names"
        hint="only those that begin with this; empty: all"
        name="prefix"
        mono
        maxLength={200}
        placeholder="invoices:"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
      />
      <fieldset>
        <legend className="mb-1.5 font-[550]">Calls</legend>
        <div className="flex flex-col gap-1">
          {KEY_VERBS.map((verb) => (
            <label key={verb} className="flex min-h-8 items-center gap-2.5 pointer-coarse:min-h-11">
              <input
                type="checkbox"
                name="verb"
                value={verb}
                defaultChecked
                className="size-4 shrink-0 accent-[var(--acc)]"
              />
              <span className="flex min-w-0 items-center gap-2">
                <span className="min-w-16 font-mono">{verb}</span>{' '}
                <span className="min-w-0 text-t3">{KEY_VERB_LABELS[verb]}</span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      <KeyExpiryField />
    </>
  );
}

/** When a key expires, counted from its creation. */
export function KeyExpiryField() {
  return <DurationChoice legend="Expires" name="life" choices={LIVES} chosenMs={0} />;
}

/** The limits in these fields; a choice of all calls is not a limit. */
export function limitsIn(form: FormData) {
  const prefix = String(form.get('prefix') ?? '');
  const verbs = form.getAll('verb').map(String) as KeyVerb[];
  const isNarrow = form.has('prefix') && verbs.length < KEY_VERBS.length;
  const life = Number(form.get('life') ?? 0);
  return {
    ...(prefix !== '' && { prefix }),
    ...(isNarrow && { verbs }),
    ...(life > 0 && { expiresInMs: life }),
  };
}
