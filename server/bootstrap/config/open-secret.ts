import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import type { Database } from '@/db/database';
import { writeNewFile } from '@/server/platform/files/write-new-file';
import { StartError } from '@/server/platform/start-error';
import type { Clock } from '../../platform/clock';
import { errorCode } from '../../platform/files/error-code';
import type { Config } from './config';
import { SECRET_MIN_CHARS } from './secrets';

const FINGERPRINT = 'secret-fingerprint';

/**
 * The installation's secret: the configured one, else one that is created once and kept in the data
 * folder, readable only by its owner. All processes over one database must have the same one: a
 * fingerprint in the database refuses any other with a `StartError`.
 */
export async function openSecret(
  config: Config,
  database: Database,
  clock: Clock,
): Promise<string> {
  const file = join(config.dataDir, 'secret');
  // Read before the file: a process writes the file before the fingerprint.
  const expected = await readFingerprint(database);
  const known = config.secret ?? readSecretFile(file);
  if (known === null && expected !== null) throw otherSecret();
  const secret = known ?? (await makeSecretFile(file));
  if ((expected ?? (await storeFingerprint(database, secret, clock))) !== fingerprint(secret)) {
    throw otherSecret();
  }
  return secret;
}

function readSecretFile(file: string): string | null {
  try {
    if ((statSync(file).mode & 0o077) !== 0) {
      throw new StartError(`${file} can be read by others; set its mode with: chmod 600 ${file}`);
    }
    const secret = readFileSync(file, 'utf8').trim();
    if (secret.length >= SECRET_MIN_CHARS) return secret;
    throw new StartError(
      `${file} holds no secret of at least ${SECRET_MIN_CHARS} characters. Restore it, or ` +
        'delete it if this installation is new.',
    );
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    if (error instanceof StartError) throw error;
    throw new StartError(`${file} cannot be read.`, { cause: error });
  }
}

/** If several processes start in one folder, one of them creates the secret and all read it. */
async function makeSecretFile(file: string): Promise<string> {
  try {
    await writeNewFile(file, `${randomBytes(32).toString('base64url')}\n`);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') {
      throw new StartError(`${file} cannot be written.`, { cause: error });
    }
  }
  return readNewSecretFile(file);
}

/** Where there are no hard links, another process may be about to fill the file. */
async function readNewSecretFile(file: string): Promise<string> {
  for (let pauses = 0; isEmpty(file) && pauses < FILL_PAUSES_MAX; pauses += 1) {
    await setTimeout(FILL_PAUSE_MS);
  }
  const secret = readSecretFile(file);
  if (secret === null) throw new StartError(`${file} was removed by another program.`);
  return secret;
}

const isEmpty = (file: string) => statSync(file, { throwIfNoEntry: false })?.size === 0;

const FILL_PAUSE_MS = 20;
const FILL_PAUSES_MAX = 50;

/** Distinguishes secrets without revealing them. */
function fingerprint(secret: string): string {
  return createHmac('sha256', secret).update('lockyard secret fingerprint').digest('hex');
}

async function readFingerprint({ db, tables }: Database): Promise<string | null> {
  const { settings } = tables;
  const [row] = await db.select().from(settings).where(eq(settings.id, FINGERPRINT));
  return row?.value ?? null;
}

async function storeFingerprint(database: Database, secret: string, clock: Clock): Promise<string> {
  const value = fingerprint(secret);
  try {
    await database.db
      .insert(database.tables.settings)
      .values({ id: FINGERPRINT, value, changedAt: clock.now() });
    return value;
  } catch (error) {
    if (!database.isDuplicateKey(error)) throw error;
    return (await readFingerprint(database)) ?? value;
  }
}

function otherSecret(): StartError {
  return new StartError(
    'This control database belongs to an installation with another secret. Set ' +
      'LOCKYARD_SECRET to that one, or use its data folder. If it is lost, or is to be replaced: ' +
      'docs/operations.md#replace-secrets-and-passwords.',
  );
}
