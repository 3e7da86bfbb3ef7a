import { LockyardError } from '../../contract/errors';

/** How far a watcher has been answered. Opaque to callers. */
export interface WatchPosition {
  /** The process that answered. */
  process: string;
  /** Everything up to this version of that process has been answered. See `VersionSeal`. */
  sealedVersion: string;
  /**
   * Everything written up to this instant of the backend's clock has been answered, which holds for
   * all processes; 0: unknown.
   */
  readUpTo: number;
  /** Nothing that was answered is from after this instant of that clock. */
  shownAt: number;
  /** The key of the target. */
  target: string;
  /** The last name answered while the present states are being sent; else null. */
  after: string | null;
}

const FORM =
  /^([\w-]{1,64})\.([\w-]{22})\.([0-9a-z]{1,11})\.([0-9a-z]{1,11})\.([\w-]{12})(?:\.([\w-]+))?$/;

/** The position as text; see `readPosition`. */
export function positionText(position: WatchPosition): string {
  const { process, sealedVersion, readUpTo, shownAt, target, after } = position;
  const instants = [Math.floor(readUpTo), Math.ceil(shownAt)].map((at) => Math.max(0, at));
  const numbers = instants.map((instant) => instant.toString(36));
  const name = after === null ? [] : [Buffer.from(after).toString('base64url')];
  return [process, sealedVersion, ...numbers, target, ...name].join('.');
}

/** @throws LockyardError `INVALID` for a text that is not a position of `lock.watch` */
export function readPosition(text: string): WatchPosition {
  const [, process, sealedVersion, readUpTo, shownAt, target, after] = FORM.exec(text) ?? [];
  if (!process || !sealedVersion || !readUpTo || !shownAt || !target) {
    throw new LockyardError('INVALID', 'since: this is no `position` of a watch.');
  }
  return {
    process,
    sealedVersion,
    readUpTo: Number.parseInt(readUpTo, 36),
    shownAt: Number.parseInt(shownAt, 36),
    target,
    after: after === undefined ? null : Buffer.from(after, 'base64url').toString(),
  };
}
