import { readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type ApiKeyForm, newApiKey, parseApiKey } from '../../auth/api-keys/api-key-text';
import type { Reason } from '../../contract/errors';
import { flushFolder } from '../../platform/files/flush-folder';
import { writeNewFile } from '../../platform/files/write-new-file';
import { StartError } from '../../platform/start-error';
import type { WantedKey, WantedState } from './apply-input';
import type { ApplyReport } from './apply-report';

/**
 * Keys in the files that `secretFile` names. They are generated and written before they are stored,
 * so that no stored key is ever lost: a run that was killed in between leaves a file with a key
 * that the next run stores.
 */
export class KeyFiles {
  /** The keys, by the names of their entries. */
  readonly keys: Record<string, string> = {};
  /** The files that this run has created, by the names of their entries. */
  private readonly written = new Map<string, string>();

  private constructor() {}

  /**
   * Writes a file for each key that a dry run would generate, unless an earlier run left one.
   *
   * @throws StartError for a file that cannot be written, or exists with other content; then no
   *   file of this run is left
   */
  static async write(
    file: string,
    { keys = [] }: WantedState,
    { changes }: ApplyReport,
  ): Promise<KeyFiles> {
    const files = new KeyFiles();
    for (const wanted of keys) {
      const { name, secretFile } = wanted;
      if (secretFile === undefined || !additionOf(name, changes)) continue;
      const path = resolve(dirname(file === '-' ? '.' : file), secretFile);
      const form = formFor(wanted);
      try {
        files.keys[name] = keyIn(path, form) ?? (await files.write(name, path, form));
      } catch (cause) {
        files.removeAll();
        const text = `The key of ${name} cannot be written: ${(cause as Error).message}`;
        throw new StartError(text, { cause });
      }
    }
    return files;
  }

  /** Removes the files of keys that certainly were not stored. */
  removeUnused({ changes, failure }: ApplyReport): void {
    for (const [name, path] of this.written) {
      const { outcome = 'planned' } = additionOf(name, changes) ?? {};
      const mayBeStored = outcome === 'failed' && UNSURE.has(failure?.reason);
      if (outcome !== 'done' && !mayBeStored) rmSync(path, { force: true });
    }
  }

  /** Removes all files of this run if that failure means that nothing was stored. */
  removeAfter(reason: Reason): void {
    if (!UNSURE.has(reason)) this.removeAll();
  }

  private removeAll(): void {
    for (const path of this.written.values()) rmSync(path, { force: true });
  }

  private async write(name: string, path: string, form: ApiKeyForm): Promise<string> {
    const { key } = newApiKey(form);
    await writeNewFile(path, `${key}\n`);
    this.written.set(name, path);
    await flushFolder(dirname(path));
    return key;
  }
}

const additionOf = (key: string, changes: ApplyReport['changes']) =>
  changes.find(({ sign, kind, name }) => sign === '+' && kind === 'key' && name === key);

/** Reasons for a failure after which the change may have been made. */
const UNSURE: ReadonlySet<Reason | undefined> = new Set<Reason>(['UNKNOWN', 'INTERNAL']);

const formFor = ({ prefix, verbs, expiresAt }: WantedKey): ApiKeyForm =>
  (prefix ?? verbs ?? expiresAt) === undefined ? 'plain' : 'limited';

/** The key that an earlier run left in a file; null if there is no file. */
function keyIn(path: string, form: ApiKeyForm): string | null {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (!facts) return null;
  // Other users must not be able to choose a key, or to read it.
  const isOurs = facts.isFile() && facts.uid === process.getuid?.() && (facts.mode & 0o077) === 0;
  const key = isOurs ? readFileSync(path, 'utf8').trim() : '';
  if (parseApiKey(key)?.form === form) return key;
  throw new Error(`${path} exists, and has no key of an earlier run for this entry`);
}
