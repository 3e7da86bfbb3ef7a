import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AgentProgram } from './client-agent';

/** The root of the repository, or of another version of it whose clients are to be tested. */
const root = process.env.LOCKYARD_CLIENT_ROOT ?? join(import.meta.dirname, '../..');

export const TYPESCRIPT = 'TypeScript';

const run = promisify(execFile);

/** One of our clients, and the agent that uses it for the scenarios. */
export interface Language {
  language: string;
  /** Builds what is needed, in a folder that is deleted with the test. */
  prepare(folder: string): Promise<AgentProgram>;
}

/** Our client for Node, as it is in that folder. */
export function typescriptOf(folder: string): Language {
  const agent = join(folder, 'test/clients/typescript-agent.ts');
  return {
    language: TYPESCRIPT,
    prepare: async () => ({
      command: process.execPath,
      args: ['--import', 'tsx', agent],
      // Resolves `@/client` to the client of that folder.
      env: { TSX_TSCONFIG_PATH: join(folder, 'tsconfig.json') },
    }),
  };
}

const python = (language: string, args: string[]): Language => ({
  language,
  prepare: async () => ({
    command: 'python3',
    args: ['-B', join(root, 'clients/python/testing/agent.py'), ...args],
    env: { PYTHONPATH: join(root, 'clients/python') },
  }),
});

/** Every client that plays the scenarios. */
export const LANGUAGES: Language[] = [
  typescriptOf(root),
  python('Python', []),
  python('Python with asyncio', ['--asyncio']),
  {
    language: 'Go',
    async prepare(folder) {
      const agent = join(folder, 'agent');
      const cwd = join(root, 'clients/go');
      await run('go', ['build', '-buildvcs=false', '-o', agent, './testing/agent'], { cwd });
      return { command: agent, args: [] };
    },
  },
  {
    language: 'Java',
    async prepare(folder) {
      const java = join(root, 'clients/java');
      const client = join(java, 'src/main/java/io/lockyard');
      const sources = readdirSync(client).map((name) => join(client, name));
      const classes = join(folder, 'classes');
      const agent = join(java, 'testing/Agent.java');
      const options = ['--release', '11', '-encoding', 'UTF-8', '-Werror', '-d', classes];
      await run('javac', [...options, ...sources, agent]);
      return {
        command: 'java',
        args: ['-XX:TieredStopAtLevel=1', '-cp', classes, 'io.lockyard.Agent'],
      };
    },
  },
];
