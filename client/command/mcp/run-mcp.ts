import manifest from '../../package.json' with { type: 'json' };
import { endWithNpm } from '../exec/end-with-npm';
import { openClient } from '../open-client';
import { COMMON_OPTIONS, readArguments, refuseExtraWord } from '../read-arguments';
import { openOutput } from '../terminal/open-output';
import { LockTools } from './lock-tools';
import { McpConnection } from './mcp-connection';
import { readLines } from './read-lines';

export const MCP_USAGE = 'lockyard mcp [options]';

const OPTIONS = { ...COMMON_OPTIONS, owner: { type: 'string' } } as const;

/**
 * `lockyard mcp`: locks as tools for a model, by the Model Context Protocol over standard input and
 * output, until the input ends or a signal comes. Then all that it holds is released. Null: help
 * was asked for.
 */
export async function runMcp(words: string[]): Promise<number | null> {
  const { values, positionals } = readArguments(words, OPTIONS);
  if (values.help) return null;
  refuseExtraWord(positionals[0], MCP_USAGE);
  endWithNpm(process.env);
  const { url, namespace, owner } = values;
  const tools = new LockTools(openClient({ url, namespace, owner }));
  const { stdin } = process;
  const output = openOutput().on('error', () => stdin.destroy());
  const { version } = manifest;
  const server = { name: 'lockyard', version };
  const connection = new McpConnection(server, tools.all, tools.takeNotices, (line) => {
    output.write(`${line}\n`);
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.once(signal, () => stdin.destroy());
  }
  await readLines(stdin, (line) => connection.receive(line));
  stdin.destroy();
  await connection.close();
  await tools.releaseAll();
  return 0;
}
