/**
 * The most recently used entries, up to about a given weight; the others are evicted, half of the
 * map at a time.
 */
export class RecentMap<T> {
  private young = new Map<string, T>();
  private old = new Map<string, T>();
  private weight = 0;

  constructor(private readonly capacity: number) {}

  get(key: string): T | undefined {
    return this.young.get(key) ?? this.old.get(key);
  }

  set(key: string, value: T, weight: number): void {
    this.young.set(key, value);
    this.weight += weight;
    if (this.weight < this.capacity / 2) return;
    this.old = this.young;
    this.young = new Map();
    this.weight = 0;
  }

  delete(key: string): void {
    this.young.delete(key);
    this.old.delete(key);
  }

  clear(): void {
    this.young.clear();
    this.old.clear();
    this.weight = 0;
  }
}
