import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

export const pageText = (page: string) => readFileSync(join(root, page), 'utf8');

const INDEX = 'docs/README.md';

/** The paths of all pages for readers from the root: those at the root, and those of the index. */
export const PAGES: string[] = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  INDEX,
  ...[...pageText(INDEX).matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, name]) => `docs/${name}`),
  'client/README.md',
  ...['go', 'java', 'python', 'shedlock'].map((language) => `clients/${language}/README.md`),
];

/** A fenced block of a page. */
export interface Example {
  page: string;
  /** The heading above it. */
  heading: string;
  /** The language that the fence names; empty if it names none. */
  language: string;
  text: string;
  /** The line of the fence that opens it, from 1. */
  line: number;
}

/** All fenced blocks of a page, in their order. */
export function examplesOf(page: string): Example[] {
  const examples: Example[] = [];
  let heading = '';
  let open: Example | null = null;
  for (const [index, line] of pageText(page).split('\n').entries()) {
    const fence = /^\s*```(\w*)$/.exec(line);
    if (open && fence) {
      examples.push(open);
      open = null;
    } else if (open) open.text += `${line}\n`;
    else if (fence) open = { page, heading, language: fence[1] ?? '', text: '', line: index + 1 };
    else if (/^#+ /.test(line)) heading = line.replace(/^#+ /, '');
  }
  if (open) throw new Error(`${page}:${open.line} opens a block that nothing closes.`);
  return examples;
}

/** A page without its fenced blocks. */
export const proseOf = (page: string) => pageText(page).replace(/^\s*```[\s\S]*?^\s*```$/gm, '');
