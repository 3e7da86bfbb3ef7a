import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackendUrl } from '@/db/urls/backend-url';
import { LabRunner } from '../lab/lab-runner';
import { LabRaces } from '../operations/lab/lab-races';
import type { ControlRuntime } from '../operations/operation-context';
import { catalogue } from '../strategies/catalogue';
import type { Config } from './config/config';

/** What the build makes for the Lab: the program of a race, and a copy of the strategies. */
const BUILT = '.next/lockyard';

/** The Lab of this process. Nothing is asked or started before a person does so. */
export function openLab({ config, database, clock, log }: ControlRuntime): LabRaces {
  const runner = new LabRunner({
    ...config.lab,
    backends: storesOf(config),
    processPath: join(process.cwd(), BUILT, 'lab-process.mjs'),
    folder: config.dataDir,
    log,
    clock,
  });
  return new LabRaces({ database, clock, log, runner, readSource });
}

async function readSource(id: string) {
  const path = catalogue.find((entry) => entry.id === id)?.source;
  if (path === undefined) return null;
  return { id, path, text: await readFile(join(process.cwd(), BUILT, 'sources', path), 'utf8') };
}

/** Every store in which this Lockyard keeps locks. */
function storesOf({ database, backends }: Config): BackendUrl[] {
  const others = backends.flatMap((backend): BackendUrl[] =>
    backend.shards
      ? [...backend.shards.shards, ...backend.shards.leaving].map(({ url }) => ({
          kind: 'mysql',
          url,
        }))
      : [backend.url],
  );
  return [database, ...others];
}
