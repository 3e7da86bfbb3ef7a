// A process that acquires a lock, is blocked while it holds it, and then writes, late or not. It is
// started with an IPC channel and these arguments: kind and URL of a store, the lock's name, which
// is also the name to write to, and the file that unblocks it.
import { existsSync } from 'node:fs';
import { withLock } from '../../with-lock';
import { openGuardedStore, type StoreKind } from './guarded-store';

const [kind, url = '', name = '', signalFile = ''] = process.argv.slice(2);
const store = await openGuardedStore[kind as StoreKind](url);
const tell = (message: object) => new Promise((resolve) => process.send?.(message, resolve));

/** Blocks like a long garbage collection: no timer fires, no reply is read. */
function blockUntilSignalled() {
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  while (!existsSync(signalFile)) Atomics.wait(nothing, 0, 0, 5);
}

let outcome: unknown;
const ended = await withLock(name, { leaseMs: 2_000 }, async ({ token }) => {
  await tell({ token });
  blockUntilSignalled();
  outcome = await store.write(name, 'late', token);
}).catch((error: Error) => error.name);
await tell({ outcome, ended });
await store.close();
process.disconnect?.();
