import { OWN_NAMESPACE } from '../membership';

/** Why new names are refused, if they are. */
export class NameCapacity {
  /**
   * @param names how many a namespace has
   * @param isShortOfMemory whether this process had better keep no more records
   */
  constructor(
    private readonly names: { total(namespace: string): number },
    private readonly isShortOfMemory: () => boolean,
  ) {}

  /** A sentence for callers; null where there is room. Lockyard's own names always have room. */
  refusal(namespace: string, maxLocks: number): string | null {
    if (namespace === OWN_NAMESPACE) return null;
    if (this.isShortOfMemory()) return SHORT_OF_MEMORY;
    const total = this.names.total(namespace);
    if (total < maxLocks) return null;
    return `The namespace "${namespace}" has ${total} locks and counters, and its policy allows ${maxLocks}. Those that exist go on.`;
  }
}

const SHORT_OF_MEMORY =
  'This server is short of memory, so it makes no new locks and counters. Those that exist go on.';
