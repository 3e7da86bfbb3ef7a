import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';

const PAGE = 'docs/performance.md';
const PICTURES = 'docs/images';

/** The page of the documentation that shows the figures of this bench. */
export interface PerformancePage {
  /**
   * Replaces the lines between the two comments that name the section.
   *
   * @param times how long was measured; the page says so, with the machine
   */
  write(
    section: string,
    times: { rounds: number; roundMs: number },
    lines: string[],
  ): Promise<void>;
  /** Writes a picture next to those of the other pages: `performance-<name>.svg`. */
  draw(name: string, svg: string): Promise<void>;
}

/** @param versions of the servers, such as `MariaDB 10.11.6` */
export function performancePage(versions: string[]): PerformancePage {
  const [cpu] = cpus();
  const machine = [`Node ${process.versions.node}`, ...versions].join(', ');
  const cores = `${cpus().length} cores of ${cpu?.model.trim() ?? 'an unknown processor'}`;
  return {
    async write(section, { rounds, roundMs }, lines) {
      const text = await readFile(PAGE, 'utf8');
      const how =
        `Medians of ${rounds} rounds of ${roundMs.toLocaleString('en')} ms each, taken by ` +
        `\`npm run bench -- ${section}\`. ${machine}; ${cores}.`;
      await writeFile(PAGE, withSection(text, section, [how, '', ...lines].join('\n')));
    },
    draw: (name, svg) => writeFile(`${PICTURES}/performance-${name}.svg`, svg),
  };
}

/** The text with what is between `<!-- <section> -->` and `<!-- /<section> -->` replaced. */
export function withSection(text: string, section: string, body: string): string {
  const begin = `<!-- ${section} -->`;
  const end = `<!-- /${section} -->`;
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${PAGE} has no section "${section}".`);
  return `${text.slice(0, from)}${begin}\n\n${body}\n\n${text.slice(to)}`;
}
