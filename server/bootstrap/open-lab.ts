import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackendUrl } from '@/db/urls/backend-url';
import { LockyardError } from '../contract/errors';
import { LabRunner } from '../lab/lab-runner';
import { LabRaces } from '../operations/lab/lab-races';
import type { ControlRuntime } from '../operations/operation-context';
import { catalogue } from '../strategies/catalogue';
import type { Config } from './config/config';

/** The folder with the Lab's build: the program of a race, and a copy of the strategies. */
const BUILT = '.next/lockyard';

/** The Lab of this process. It contacts no server and starts nothing until a person does so. */
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

/** @throws LockyardError `NOT_FOUND` for a strategy whose file cannot be read */
async function readSource(id: string) {
  const path = catalogue.find((entry) => entry.id === id)?.source;
  if (path === undefined) return null;
  const file = join(process.cwd(), BUILT, 'sources', path);
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    // The original error of a missing file would be taken for a database that does not respond.
    throw new LockyardError('NOT_FOUND', 'This build has no source of that strategy.', { cause });
  });
  return { id, path, text };
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
