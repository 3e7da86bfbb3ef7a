import { answerNeeds } from './answer-needs';
import type { ApiField, ApiShape, ApiShapes, ApiType } from './api-shapes';
import { methodName, snakeCase, wrapText } from './names-and-texts';

/**
 * `wire.py`: the inputs and answers of the API as typed dictionaries, and a method per procedure.
 */
export function pythonTypes(api: ApiShapes): string {
  const { shapes, procedures, reasons } = api;
  const methods = procedures.map(({ name, kind, summary, input, answer }) =>
    [
      `    def ${snakeCase(methodName(name))}(self, ask: ${input}) -> ${answer}:`,
      `        """${summary}: \`${name}\`."""`,
      `        return self._call("${name}", "${kind}", ask)`,
    ].join('\n'),
  );
  return `"""Inputs and answers. Generated from the API's description: \`npm run clients:generate\`.

Names and values are those of the wire, in milliseconds. Answers may gain fields.
"""

from typing import Any, Dict, List, Literal, Mapping, Optional, TypedDict, Union

${shapes.map((shape) => (shape.anyOf ? union(shape) : typedDict(shape))).join('\n\n')}

REASONS = (
${reasons.map((reason) => `    "${reason}",\n`).join('')})
"""Every reason of a refusal that this client knows; a server may have more."""

ANSWER_NEEDS: Dict[str, Dict[str, List[str]]] = {
${needs(api)}}
"""The fields that answers must have, by procedure and outcome; "" for answers without one."""


class Procedures:
    """The service API: each method sends one request, once.

    Expected outcomes are values with \`outcome\`; everything else is raised as \`LockyardError\`.
    """

    def _call(self, procedure: str, kind: str, ask: Mapping[str, Any]) -> Any:
        raise NotImplementedError

${methods.join('\n\n')}
`;
}

function union({ name, anyOf, description }: ApiShape): string {
  const options = (anyOf ?? []).join(', ');
  const oneLine = `${name} = Union[${options}]`;
  const text = oneLine.length <= 100 ? oneLine : `${name} = Union[\n    ${options}\n]`;
  return `${comment(description, '')}${text}\n`;
}

/** Python 3.9 can mark only whole classes as optional: required fields get a class of their own. */
function typedDict({ name, fields, description }: ApiShape): string {
  const mayLack = (field: ApiField) => field.isOptional || isFilledIn(name, field);
  const needed = fields.filter((field) => !mayLack(field));
  const optional = fields.filter(mayLack);
  const docstring = description ? wrapped(description) : '';
  if (optional.length === 0) return `\nclass ${name}(TypedDict):\n${docstring}${members(needed)}`;
  if (needed.length === 0)
    return `\nclass ${name}(TypedDict, total=False):\n${docstring}${members(optional)}`;
  return (
    `\nclass _${name}(TypedDict):\n${members(needed)}\n\n` +
    `class ${name}(_${name}, total=False):\n${docstring}${members(optional)}`
  );
}

/** The client fills in its own if the caller gives none. */
const isFilledIn = (shape: string, { name }: ApiField) =>
  name === 'owner' && shape.endsWith('Input');

function wrapped(description: string): string {
  const lines = wrapText(description, 88);
  if (lines.length === 1) return `    """${lines[0]}"""\n\n`;
  return `    """${lines.join('\n    ')}\n    """\n\n`;
}

const comment = (text: string | undefined, indent: string) =>
  text
    ? `${wrapText(text, 94)
        .map((line) => `${indent}# ${line}\n`)
        .join('')}`
    : '';

const members = (fields: ApiField[]) =>
  fields
    .map(
      ({ name, type, description }) =>
        `${comment(description, '    ')}    ${name}: ${annotation(type)}\n`,
    )
    .join('');

function annotation(type: ApiType): string {
  switch (type.kind) {
    case 'text':
      return 'str';
    case 'integer':
      return 'int';
    case 'boolean':
      return 'bool';
    case 'texts by text':
      return 'Dict[str, str]';
    case 'one of':
      return `Literal[${type.texts.map((text) => `"${text}"`).join(', ')}]`;
    case 'shape':
      return type.name;
    case 'list':
      return `List[${annotation(type.of)}]`;
    case 'nullable':
      return `Optional[${annotation(type.of)}]`;
  }
}

function needs(api: ApiShapes): string {
  const list = (texts: string[]) => `[${texts.map((text) => `"${text}"`).join(', ')}]`;
  return Object.entries(answerNeeds(api))
    .map(([procedure, outcomes]) => {
      const rows = Object.entries(outcomes).map(
        ([outcome, fields]) => `        "${outcome}": ${list(fields)},\n`,
      );
      return `    "${procedure}": {\n${rows.join('')}    },\n`;
    })
    .join('');
}
