import { MULTI_LOCK_MAX } from '../../contract/multi-lock';
import { OWN_NAMESPACE } from '../membership';

/** The limit of the names of each namespace. */
export class NameCapacity {
  /**
   * @param names the number of names of each namespace
   * @param isShortOfMemory whether this process has too little memory for more records
   */
  constructor(
    private readonly names: { total(namespace: string): number },
    private readonly isShortOfMemory: () => boolean,
  ) {}

  /**
   * Why new names are refused, as a sentence for callers; null: there is room, as there always is
   * for Lockyard's own names.
   */
  refusal(namespace: string, maxLocks: number): string | null {
    if (namespace === OWN_NAMESPACE) return null;
    if (this.isShortOfMemory()) return SHORT_OF_MEMORY;
    const total = this.names.total(namespace);
    if (total < maxLocks) return null;
    return (
      `The namespace "${namespace}" is full: its policy allows ${maxLocks} locks and counters ` +
      `together, and it has ${total}. Existing ones keep working.`
    );
  }

  /** How many more names a namespace has room for; null: more than any multi-lock needs. */
  roomFor(namespace: string, maxLocks: number): number | null {
    const room = maxLocks - this.names.total(namespace);
    return room < MULTI_LOCK_MAX && namespace !== OWN_NAMESPACE ? Math.max(0, room) : null;
  }
}

const SHORT_OF_MEMORY =
  'This server is short of memory, so it creates no new locks and counters. ' +
  'Existing ones keep working.';
