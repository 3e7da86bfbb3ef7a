import type { KnownAny } from './machine';

/**
 * Records as this process last saw or wrote them; those not touched for long are forgotten, half of them at a time.
 * One of them may only propose a swap: another process may have changed it since.
 */
export class KnownRecords {
  private young = new Map<string, KnownAny>();
  private old = new Map<string, KnownAny>();

  /** @param capacity how many are kept at most */
  constructor(private readonly capacity: number) {}

  get(id: string): KnownAny | undefined {
    return this.young.get(id) ?? this.old.get(id);
  }

  set(id: string, known: KnownAny): void {
    this.young.set(id, known);
    if (this.young.size < this.capacity / 2) return;
    this.old = this.young;
    this.young = new Map();
  }

  forget(id: string): void {
    this.young.delete(id);
    this.old.delete(id);
  }
}
