/** The first of all items that were added, in order. Only those that are kept are ever sorted. */
export class TopN<T> {
  readonly items: T[] = [];

  /** @param compare below 0 where the first comes before the second */
  constructor(
    private readonly most: number,
    private readonly compare: (a: T, b: T) => number,
  ) {}

  add(item: T): void {
    const last = this.items.at(-1);
    if (this.items.length >= this.most && last && this.compare(item, last) >= 0) return;
    let [from, to] = [0, this.items.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const other = this.items[middle];
      if (other && this.compare(other, item) < 0) from = middle + 1;
      else to = middle;
    }
    this.items.splice(from, 0, item);
    if (this.items.length > this.most) this.items.pop();
  }
}
