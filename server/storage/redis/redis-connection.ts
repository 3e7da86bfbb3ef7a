import { Redis, type RedisOptions } from 'ioredis';
import { speaksTls, tlsOf } from '@/db/urls/server-tls';
import { TimeLimit } from '../../platform/time-limit';
import { StoreError } from '../record-store';
import { redisRefusal, redisUnreached } from './redis-refusal';
import { REFUSAL } from './redis-script';

const LATE = 'Redis cannot be reached, or is being checked.';

const CONNECT_TIMEOUT_MS = 1_500;

/** Refusals that do not concern the connection. After any other the next call checks a new one. */
const PASSING = /^(OOM|BUSY|MISCONF|NOREPLICAS|NOPERM)\b/;

/** Makes a driver that is not connected yet. */
export type OpenDriver = (
  options: ReturnType<typeof redisOptions> & typeof ONCE_ONLY & Limits,
) => Redis;

type Limits = { connectTimeout: number; commandTimeout: number };

/** Decides what may be sent over a connection. */
export interface ConnectionGuard<Admitted> {
  /** May take longer than a call. */
  admit(redis: Redis): Promise<Admitted>;
  /** Called with every refusal of one of our scripts. */
  noteRefusal(admitted: Admitted, refusal: string): void;
}

/**
 * One connection to one Redis, opened on demand, also after a failure. It never sends anything
 * twice, and sends nothing before the guard has admitted it.
 */
export class RedisConnection<Admitted> {
  private readonly isSecure: boolean;
  private opening: Promise<{ redis: Redis; admitted: Admitted }> | null = null;
  private current: Redis | null = null;
  private ready: { redis: Redis; admitted: Admitted } | null = null;
  private isClosed = false;

  /**
   * @param url as for `RedisStore`
   * @param timeoutMs how long a call may take
   * @param guard asked about every new connection before anything else is sent over it
   * @param openDriver makes the driver of each connection
   */
  constructor(
    private readonly url: string,
    private readonly timeoutMs: number,
    private readonly guard: ConnectionGuard<Admitted>,
    private readonly openDriver: OpenDriver = (options) => new Redis(options),
  ) {
    this.isSecure = speaksTls(url);
  }

  /**
   * Makes one call.
   *
   * @throws StoreError `applied: 'no'` if it was never sent or was refused as a whole, `'unknown'`
   *   otherwise. After a call that was not answered in time the connection is closed, so that no
   *   later answer can be taken for another call's.
   */
  async call<T>(work: (redis: Redis, admitted: Admitted) => Promise<T>): Promise<T> {
    const { redis, admitted } = this.ready ?? (await this.opened());
    if (redis.status !== 'ready') {
      this.drop(redis);
      throw new StoreError('The connection to Redis is gone.', 'no');
    }
    try {
      return await work(redis, admitted);
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal?.startsWith(REFUSAL)) this.guard.noteRefusal(admitted, refusal);
      if (!refusal || !PASSING.test(refusal)) this.drop(redis);
      if (error instanceof StoreError) throw error;
      throw refusal
        ? redisRefusal(refusal, error)
        : new StoreError('Redis did not answer.', 'unknown', { cause: error });
    }
  }

  /** One query over a separate connection, which the guard does not check. */
  async queryUnguarded<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = this.driver();
    try {
      await connectDriver(redis);
      return await work(redis);
    } catch (cause) {
      if (cause instanceof StoreError) throw cause;
      throw redisUnreached(refusalIn(cause), cause, this.isSecure);
    } finally {
      redis.disconnect();
    }
  }

  /** Makes the next call check the store again. */
  recheck(): void {
    if (this.current) this.drop(this.current);
  }

  /** Permanent: every later call fails. */
  close(): void {
    this.isClosed = true;
    this.recheck();
  }

  private async opened(): Promise<{ redis: Redis; admitted: Admitted }> {
    if (this.isClosed) throw new StoreError('This store is closed.', 'no');
    this.opening ??= this.open();
    const timeLimit = new TimeLimit(this.timeoutMs, () => new StoreError(LATE, 'no'));
    try {
      return await timeLimit.race(this.opening);
    } finally {
      timeLimit.stop();
    }
  }

  private open(): Promise<{ redis: Redis; admitted: Admitted }> {
    const redis = this.driver();
    this.current = redis;
    redis.on('end', () => this.drop(redis));
    return this.admitted(redis);
  }

  private driver(): Redis {
    const limits = { connectTimeout: CONNECT_TIMEOUT_MS, commandTimeout: this.timeoutMs };
    const redis = this.openDriver({ ...redisOptions(this.url), ...ONCE_ONLY, ...limits });
    redis.on('error', () => undefined);
    return redis;
  }

  private async admitted(redis: Redis): Promise<{ redis: Redis; admitted: Admitted }> {
    try {
      await connectDriver(redis);
      const admitted = await this.guard.admit(redis);
      if (this.isClosed) throw new StoreError('This store is closed.', 'no');
      const ready = { redis, admitted };
      if (this.current === redis) this.ready = ready;
      return ready;
    } catch (cause) {
      this.drop(redis);
      if (cause instanceof StoreError) {
        const { refusal } = cause;
        throw new StoreError(cause.message, 'no', { cause: cause.cause ?? cause, refusal });
      }
      throw redisUnreached(refusalIn(cause), cause, this.isSecure);
    }
  }

  private drop(redis: Redis): void {
    if (this.current === redis) {
      this.current = null;
      this.opening = null;
      this.ready = null;
    }
    redis.disconnect();
  }
}

/** A driver that retries could apply a swap twice. The protocol versions do not differ here. */
const ONCE_ONLY = {
  lazyConnect: true,
  protocol: 2,
  retryStrategy: () => null,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  enableOfflineQueue: false,
  enableReadyCheck: false,
  disableClientInfo: true,
  autoResubscribe: false,
} satisfies RedisOptions;

/**
 * Connects, or rejects with the server's reason. On a wrong password the driver itself reports only
 * that the connection was closed, and if the database in the URL is refused, it continues with
 * another one.
 */
export async function connectDriver(redis: Redis): Promise<void> {
  let reason: unknown;
  const note = (error: unknown) => {
    reason = error;
  };
  redis.on('error', note);
  try {
    await redis.connect();
  } catch (error) {
    reason ??= error;
  } finally {
    redis.off('error', note);
  }
  if (reason !== undefined) throw reason;
}

/** The server's own refusal; null for any error after which the call may have been applied. */
function refusalIn(error: unknown): string | null {
  const { name, message = '' } = error as Error;
  return name === 'ReplyError' ? message : null;
}

const PORT = 6379;

/** The driver's options for a `redis:` or `rediss:` URL: nothing but these. */
export function redisOptions(text: string) {
  const { hostname, port, username, password, pathname } = new URL(text);
  const tls = tlsOf(text);
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || PORT),
    db: Number(pathname.slice(1)),
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    ...(tls ? { tls } : {}),
  } satisfies RedisOptions;
}
