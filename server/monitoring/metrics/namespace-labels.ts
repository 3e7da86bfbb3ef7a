/** More namespaces than these share one label: every label value is a time series for ever. */
const NAMESPACES_MAX = 200;

/** No namespace can have this name. */
const OTHERS = '_other';

/** A namespace, and the backend where it has locks. */
export type LockPlace = Record<'namespace' | 'backend', string>;

/** Labels of namespaces. The first ones get their own names, all later ones share a label. */
export class NamespaceLabels {
  private readonly named = new Set<string>();

  /**
   * Gives the oldest namespaces their own names before any other occurs, so that the same ones
   * share a label at every process.
   *
   * @param oldestFirst those that can occur
   */
  nameOldest(oldestFirst: Iterable<string>): void {
    for (const namespace of oldestFirst) this.of(namespace);
  }

  /** The labels of a namespace on a backend, and a key for them. */
  placeOf({ namespace, backend }: LockPlace): { id: string; labels: LockPlace } {
    const labels = { namespace: this.of(namespace), backend };
    return { id: `${backend}/${labels.namespace}`, labels };
  }

  of(namespace: string): string {
    if (this.named.has(namespace)) return namespace;
    if (this.named.size >= NAMESPACES_MAX) return OTHERS;
    this.named.add(namespace);
    return namespace;
  }
}
