import type { KnownAny } from '../record-type';

/**
 * An entry of the record cache. Code that works on the record may keep its entry, to look it up
 * only once.
 */
export interface KnownPlace {
  /** Null: nothing is known of it. */
  known: KnownAny | null;
}

interface Place extends KnownPlace {
  /** Asked for again since it last came to be forgotten. */
  isInUse: boolean;
}

/**
 * Records as this process last saw or wrote them; those not touched for long are forgotten. One of
 * them may only propose a swap: another process may have changed it since.
 *
 * Which one is forgotten: the page replacement called "second chance" (Corbató, 1968). The oldest
 * goes, unless it was asked for meanwhile; then it counts as new. So touching one moves nothing.
 */
export class KnownRecords {
  /** The oldest first. */
  private readonly places = new Map<string, Place>();

  /** @param capacity how many are kept at most */
  constructor(private readonly capacity: number) {}

  /** What is known, without making room for it. */
  get(id: string): KnownAny | null {
    return this.places.get(id)?.known ?? null;
  }

  at(id: string): KnownPlace {
    const place = this.places.get(id);
    if (place) {
      place.isInUse = true;
      return place;
    }
    if (this.places.size >= this.capacity) this.forgetOne();
    const fresh: Place = { known: null, isInUse: false };
    this.places.set(id, fresh);
    return fresh;
  }

  forget(id: string): void {
    this.places.delete(id);
  }

  private forgetOne(): void {
    for (const [id, place] of this.places) {
      this.places.delete(id);
      if (!place.isInUse) return;
      place.isInUse = false;
      this.places.set(id, place);
    }
  }
}
