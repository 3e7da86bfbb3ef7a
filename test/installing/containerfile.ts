import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

export interface Instruction {
  /** Such as `RUN`. */
  name: string;
  /** Its arguments, on one line. */
  text: string;
}

/** The instructions after one `FROM`. */
export interface Stage {
  /** Its name, or its number from 0. */
  name: string;
  base: string;
  instructions: Instruction[];
}

/** The stages of `deploy/Containerfile`, with its arguments in place. */
export function readContainerfile(): Stage[] {
  const text = readFileSync(join(root, 'deploy/Containerfile'), 'utf8');
  const stages: Stage[] = [];
  const variables = new Map<string, string>();
  for (const { name, text: raw } of instructionsOf(text)) {
    const [first = '', ...rest] = raw.split(' ');
    if (name === 'ARG' && stages.length === 0) {
      const [variable = '', value = ''] = raw.split('=');
      variables.set(variable, value);
    } else if (name === 'FROM') {
      const base = first.replaceAll(/\$\{(\w+)\}/g, (_, variable) => variables.get(variable) ?? '');
      stages.push({ name: rest[1] ?? String(stages.length), base, instructions: [] });
    } else {
      const stage = stages.at(-1);
      if (!stage) throw new Error(`${name} before FROM`);
      stage.instructions.push({ name, text: raw });
    }
  }
  return stages;
}

function instructionsOf(text: string): Instruction[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const joined = lines.join('\n').replaceAll(/\\\n\s*/g, '');
  return joined.split('\n').map((line) => {
    const [, name = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (name === '') throw new Error(`Not an instruction: ${line}`);
    return { name, text: rest.trim() };
  });
}

/** The sources and the target of a `COPY`, and the stage that it copies from, if any. */
export function copyOf(text: string): { from: string | null; sources: string[]; to: string } {
  const words = text.split(/\s+/);
  const flag = words[0]?.startsWith('--from=') ? words.shift() : undefined;
  const to = words.pop() ?? '';
  return { from: flag?.slice('--from='.length) ?? null, sources: words, to };
}
