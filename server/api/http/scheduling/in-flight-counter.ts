/**
 * Counts units of work under way, by generations of time. Work begun two generations ago no longer
 * counts: it waits for a lock, or for a store that does not respond, and must not block other
 * calls.
 */
export class InFlightCounter {
  private recent = 0;
  private older = 0;
  private generation = 0;

  count(generation: number): number {
    this.roll(generation);
    return this.recent + this.older;
  }

  begin(generation: number, units: number): void {
    this.roll(generation);
    this.recent += units;
  }

  end(generation: number, begunIn: number, units: number): void {
    this.roll(generation);
    if (begunIn === generation) this.recent -= units;
    else if (begunIn === generation - 1) this.older -= units;
  }

  private roll(generation: number): void {
    if (generation === this.generation) return;
    this.older = generation === this.generation + 1 ? this.recent : 0;
    this.recent = 0;
    this.generation = generation;
  }
}
