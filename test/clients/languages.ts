import { join } from 'node:path';
import type { AgentProgram } from './client-agent';

const root = join(import.meta.dirname, '../..');

/** A client of ours, and the program that uses it as the scenarios ask. */
export interface Language {
  language: string;
  /** Builds what has to be built, in a folder that goes with the test. */
  prepare(folder: string): Promise<AgentProgram>;
}

/** Every client that plays the scenarios. */
export const LANGUAGES: Language[] = [
  {
    language: 'TypeScript',
    prepare: async () => ({
      command: process.execPath,
      args: ['--import', 'tsx', join(import.meta.dirname, 'typescript-agent.ts')],
    }),
  },
  {
    language: 'Python',
    prepare: async () => ({
      command: 'python3',
      args: ['-B', join(root, 'clients/python/testing/agent.py')],
      env: { PYTHONPATH: join(root, 'clients/python') },
    }),
  },
];
