import { answerNeeds } from './answer-needs';
import type { ApiField, ApiShape, ApiShapes, ApiType } from './api-shapes';
import { methodName, wrapText } from './names-and-texts';

const HEAD =
  '// Generated from the description of the API: npm run clients:generate.\npackage io.lockyard;\n';

/**
 * `Wire.java`: the inputs and answers of the API, a class for each shape, with the names on the
 * wire.
 */
export function javaTypes(api: ApiShapes): string {
  const { shapes, reasons } = api;
  const classes = shapes.map((shape) => (isInput(shape) ? inputClass(shape) : answerClass(shape)));
  return `${HEAD}
import java.util.List;
import java.util.Map;

/** Inputs and answers. Answers may gain fields: {@link JsonObject#asMap} has them all. */
public final class Wire {
  /** Every reason of a refusal that this client knows; a server may have more. */
  public static final List<String> REASONS =
      List.of(
${reasons.map((reason) => `          "${reason}"`).join(',\n')});

  /** The fields that answers must have, by procedure and outcome; "" for answers without one. */
  static final Map<String, Map<String, List<String>>> ANSWER_NEEDS =
      Map.ofEntries(
${needs(api)});

  private Wire() {}

${classes.join('\n\n')}
}
`;
}

/** `Procedures.java`: a method for each procedure. */
export function javaProcedures({ procedures }: ApiShapes): string {
  const methods = procedures.map(({ name, kind, summary, input, answer }) =>
    [
      `  /** {@code ${name}}: ${summary.toLowerCase()}. */`,
      `  public Wire.${answer} ${methodName(name)}(Wire.${input} ask)`,
      '      throws InterruptedException {',
      `    return new Wire.${answer}(call("${name}", "${kind}", ask.asMap()));`,
      '  }',
    ].join('\n'),
  );
  return `${HEAD}
import java.util.Map;

/**
 * The service API: each method sends one request, once. Expected outcomes are values with {@code
 * outcome}; everything else is thrown as {@link LockyardException}.
 */
public abstract class Procedures {
  Procedures() {}

  abstract Map<String, Object> call(String procedure, String kind, Map<String, Object> ask)
      throws InterruptedException;

${methods.join('\n\n')}
}
`;
}

const isInput = ({ name }: ApiShape) => /Input$|^LockOfSet$/.test(name);

function comment(text: string | undefined, indent: string): string {
  if (!text) return '';
  const lines = wrapText(text, 94 - indent.length).map((line) => line.replaceAll('*/', '* /'));
  const oneLine = `${indent}/** ${lines[0]} */\n`;
  if (lines.length === 1 && oneLine.length <= 101) return oneLine;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

function answerClass({ name, description, fields, anyOf }: ApiShape): string {
  const about = anyOf ? `One of ${anyOf.join(', ')}: see {@link #outcome}.` : description;
  const members = fields.map(
    ({ name: field, type, isOptional, description: says }) =>
      `${comment(isOptional ? `${says ?? ''} Null if absent.`.trim() : says, '    ')}` +
      `    public ${javaType(type, isOptional)} ${field}() {\n` +
      `      return ${read(field, type, isOptional)};\n    }`,
  );
  return `${comment(about, '  ')}  public static final class ${name} extends JsonObject {
    ${name}(Map<String, Object> fields) {
      super(fields);
    }

${members.join('\n\n')}
  }`;
}

function inputClass({ name, description, fields }: ApiShape): string {
  const members = fields.map(
    ({ name: field, type, description: says }: ApiField) =>
      `${comment(says, '    ')}` +
      `    public ${name} ${field}(${javaType(type, false)} value) {\n` +
      `      put("${field}", value);\n      return this;\n    }`,
  );
  return `${comment(description, '  ')}  public static final class ${name} extends JsonObject {
    public ${name}() {}

${members.join('\n\n')}
  }`;
}

function javaType(type: ApiType, isBoxed: boolean): string {
  switch (type.kind) {
    case 'integer':
      return isBoxed ? 'Long' : 'long';
    case 'boolean':
      return isBoxed ? 'Boolean' : 'boolean';
    case 'texts by text':
      return 'Map<String, String>';
    case 'shape':
      return type.name;
    case 'list':
      return `List<${javaType(type.of, true)}>`;
    case 'nullable':
      return javaType(type.of, true);
    default:
      return 'String';
  }
}

function read(field: string, type: ApiType, isOptional: boolean): string {
  switch (type.kind) {
    case 'integer':
      return isOptional ? `number("${field}")` : `needed("${field}", number("${field}"))`;
    case 'boolean':
      return isOptional ? `truth("${field}")` : `needed("${field}", truth("${field}"))`;
    case 'shape':
      return `object("${field}", ${type.name}::new)`;
    case 'list':
      return type.of.kind === 'shape'
        ? `objects("${field}", ${type.of.name}::new)`
        : `texts("${field}")`;
    case 'nullable':
      return read(field, type.of, true);
    case 'texts by text':
      throw new Error(`No answer has a map, but ${field} is one.`);
    default:
      return `text("${field}")`;
  }
}

function needs(api: ApiShapes): string {
  const list = (texts: string[]) => `List.of(${texts.map((text) => `"${text}"`).join(', ')})`;
  return Object.entries(answerNeeds(api))
    .map(([procedure, outcomes]) => {
      const rows = Object.entries(outcomes).map(
        ([outcome, fields]) => `                  Map.entry("${outcome}", ${list(fields)})`,
      );
      return `          Map.entry(
              "${procedure}",
              Map.ofEntries(
${rows.join(',\n')}))`;
    })
    .join(',\n');
}
