import { answerNeeds } from './answer-needs';
import type { ApiField, ApiShape, ApiShapes, ApiType } from './api-shapes';
import { methodName, pascalCase, wrapText } from './names-and-texts';

/** `wire.go`: the inputs and answers of the API as structs, and a method for each procedure. */
export function goTypes(api: ApiShapes): string {
  const { shapes, procedures, reasons } = api;
  const methods = procedures.map(({ name, kind, summary, input, answer }) => {
    const method = pascalCase(methodName(name));
    const parameters = `ctx context.Context, ask ${input}`;
    const results = `(answer ${answer}, err error)`;
    const oneLine = `func (c *Client) ${method}(${parameters}) ${results} {`;
    return [
      `// ${method} is ${name}: ${summary.toLowerCase()}.`,
      oneLine.length <= 100
        ? oneLine
        : `func (c *Client) ${method}(\n\t${parameters},\n) ${results} {`,
      `\terr = c.call(ctx, "${name}", "${kind}", ask, &answer)`,
      '\treturn answer, err',
      '}',
    ].join('\n');
  });
  return `// Code generated from the API's description by npm run clients:generate; DO NOT EDIT.

package lockyard

import "context"

// The reasons of an Error that this client knows; a server may have more.
const (
${aligned(reasons.map((reason) => [`Reason${camel(reason)}`, `= "${reason}"`]))}
)

// Reasons are all of them.
var Reasons = []string{
${reasons.map((reason) => `\tReason${camel(reason)},`).join('\n')}
}

// The fields that answers must have, by procedure and outcome; "" for answers without one.
var answerNeeds = map[string]map[string][]string{
${needs(api)}}

${shapes.map(struct).join('\n\n')}

${methods.join('\n\n')}
`;
}

const camel = (reason: string) =>
  reason
    .toLowerCase()
    .split('_')
    .map((word) => pascalCase(word))
    .join('');

const comment = (text: string | undefined, indent: string) =>
  text
    ? wrapText(text, 94)
        .map((line) => `${indent}// ${line}\n`)
        .join('')
    : '';

function struct({ name, fields, description, anyOf }: ApiShape): string {
  const choice = anyOf
    ? `is one of ${anyOf.join(', ')}: Outcome says which, and so which fields are set.`
    : '';
  const about = choice ? `${name} ${choice}` : description ? `${name}: ${description}` : '';
  const isInput = /Input$|^LockOfSet$/.test(name);
  const members = fields.map((field, at) => member(field, isInput, at > 0));
  return `${comment(about, '')}type ${name} struct {\n${members.join('')}}`;
}

/** A comment or blank line before a field ends the run of fields that gofmt would align. */
function member(field: ApiField, isInput: boolean, isLater: boolean): string {
  const { name, type, isOptional, description } = field;
  const tag = `\`json:"${name}${isOptional ? ',omitempty' : ''}"\``;
  const about = comment(description, '\t');
  const gap = isLater ? '\n' : '';
  return `${gap}${about}\t${exported(name)} ${goType(type, isOptional, isInput)} ${tag}\n`;
}

const exported = (name: string) => pascalCase(name).replace(/Id$/, 'ID');

/** In an input, an absent number differs from 0. */
function goType(type: ApiType, isOptional: boolean, isInput: boolean): string {
  switch (type.kind) {
    case 'integer':
      return isOptional && isInput ? '*int64' : 'int64';
    case 'boolean':
      return 'bool';
    case 'texts by text':
      return 'map[string]string';
    case 'shape':
      return isOptional ? `*${type.name}` : type.name;
    case 'list':
      return `[]${goType(type.of, false, false)}`;
    case 'nullable':
      return `*${goType(type.of, false, false)}`;
    default:
      return 'string';
  }
}

/** Aligned as by gofmt. */
function aligned(rows: [string, string][]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `\t${name.padEnd(width)} ${value}`).join('\n');
}

function needs(api: ApiShapes): string {
  return Object.entries(answerNeeds(api))
    .map(([procedure, outcomes]) => {
      const rows = Object.entries(outcomes).map(([outcome, fields]): [string, string] => [
        `"${outcome}":`,
        `{${fields.map((field) => `"${field}"`).join(', ')}},`,
      ]);
      const lines = aligned(rows).replace(/^/gm, '\t');
      return `\t"${procedure}": {\n${lines}\n\t},\n`;
    })
    .join('');
}
