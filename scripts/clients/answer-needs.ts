import type { ApiShapes } from './api-shapes';

/** The needed fields by procedure and outcome; `''` for answers without one. */
export type AnswerNeeds = Record<string, Record<string, string[]>>;

/**
 * The fields without which an answer cannot be understood. A field that the server gains later does
 * not belong here: servers of an older release do not send it.
 */
const NEEDED = new Set([
  'token',
  'expiresAt',
  'expiresInMs',
  'waitedMs',
  'grants',
  'cause',
  'reason',
  'value',
  'valid',
  'state',
  'locks',
  'position',
]);

/** The fields that a client checks in every answer. */
export function answerNeeds({ shapes, procedures }: ApiShapes): AnswerNeeds {
  const byName = new Map(shapes.map((shape) => [shape.name, shape]));
  const needs = (name: string): [string, string[]] => {
    const fields = byName.get(name)?.fields.filter(({ isOptional }) => !isOptional) ?? [];
    const outcome = fields.find((field) => field.name === 'outcome')?.type;
    const needed = fields.map((field) => field.name).filter((field) => NEEDED.has(field));
    return [outcome?.kind === 'one of' ? (outcome.texts[0] ?? '') : '', needed];
  };
  return Object.fromEntries(
    procedures.map(({ name, answer }) => {
      const options = byName.get(answer)?.anyOf ?? [answer];
      return [name, Object.fromEntries(options.map(needs))];
    }),
  );
}
