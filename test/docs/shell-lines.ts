/** The words of a shell line, without its quotes; a comment ends it. */
function wordsOf(line: string): string[] {
  const tokens = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  const comment = tokens.findIndex((token) => token.startsWith('#'));
  const words = comment < 0 ? tokens : tokens.slice(0, comment);
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

/** The lines of a script; those that end with a backslash are joined with the next. */
export const linesOf = (script: string) => script.replace(/\\\n\s*/g, '').split('\n');

const COMMAND =
  /(?:npm run -s lockyard --|npx lockyard|(?:^\s*|[;&|(]\s*|[A-Z_]+=\S+\s+)lockyard)\s+([^|;)&>]*)/g;

/** The arguments of each `lockyard …` in a line; optional ones in brackets are included. */
export function commandsIn(line: string): string[][] {
  const [code = ''] = line.split(/\s#\s/);
  return [...code.matchAll(COMMAND)].map(([, rest = '']) => wordsOf(rest.replace(/[[\]]/g, '')));
}

/**
 * The variables that a script sets for the server or a client. What a page omits (`…`) is filled
 * in, and a command substitution is replaced by a secret.
 */
export function settingsIn(script: string): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const line of linesOf(script)) {
    const [code = ''] = line.split(/\s#\s/);
    for (const [, name = '', value = ''] of code.matchAll(
      /(?:^|\s)((?:LOCKYARD_|HOST|PORT)\w*)=('[^']*'|\$\([^)]*\)|\S*)/g,
    )) {
      settings[name] = value
        .replace(/^'(.*)'$/, '$1')
        .replace(/^\$\(.*\)$/, 'bG9ja3lhcmQgZG9jcyBsb2NreWFyZCBkb2NzISEhISE=')
        .replaceAll('…', 'secret');
    }
  }
  return settings;
}
