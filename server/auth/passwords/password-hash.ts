import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { LockyardError } from '../../contract/errors';
import { PASSWORD_COST_BITS } from './password-cost-bits';

const BLOCK_SIZE = 8;
const KEY_BYTES = 32;
const SALT_BYTES = 16;

/** Leaves half the cores for locks. The queue is short, so its callers are answered in time. */
const PARALLEL = Math.max(1, Math.floor(availableParallelism() / 2));
const QUEUE_MAX = 32;

let running = 0;
const waiting: (() => void)[] = [];

/**
 * Hashes a password for storage: scrypt with a random salt, off the event loop, a few at a time.
 * Throws `RATE_LIMITED` when the queue is full.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive(password, salt, PASSWORD_COST_BITS);
  return ['scrypt', PASSWORD_COST_BITS, salt.toString('base64url'), key.toString('base64url')].join(
    '$',
  );
}

/**
 * Whether the password matches the hash. Null, for an unknown user, takes as long, and is false.
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [, costBits, salt, key] = (stored ?? UNKNOWN_USER_HASH).split('$');
  const expected = Buffer.from(key ?? '', 'base64url');
  const derived = await derive(password, Buffer.from(salt ?? '', 'base64url'), Number(costBits));
  return (
    derived.length === expected.length && timingSafeEqual(derived, expected) && stored !== null
  );
}

const UNKNOWN_USER_HASH = ['scrypt', PASSWORD_COST_BITS, 'A'.repeat(22), 'A'.repeat(43)].join('$');

async function derive(password: string, salt: Buffer, costBits: number): Promise<Buffer> {
  await acquireSlot();
  try {
    const cost = 2 ** costBits;
    const options = { N: cost, r: BLOCK_SIZE, p: 1, maxmem: 2 * 128 * cost * BLOCK_SIZE };
    return await runScrypt(password, salt, options);
  } finally {
    releaseSlot();
  }
}

function runScrypt(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, KEY_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

async function acquireSlot(): Promise<void> {
  if (running < PARALLEL) {
    running++;
    return;
  }
  if (waiting.length >= QUEUE_MAX) {
    throw new LockyardError(
      'RATE_LIMITED',
      'Too many concurrent sign-ins. Try again in a moment.',
      {
        retryAfterMs: 2_000,
      },
    );
  }
  await new Promise<void>((resolve) => waiting.push(resolve));
}

/** Passes the slot to the next in the queue, or frees it. */
function releaseSlot(): void {
  const next = waiting.shift();
  if (next) next();
  else running--;
}
