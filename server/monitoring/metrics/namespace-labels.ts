/** More namespaces than these share one label: every label value is a time series for ever. */
const NAMESPACES_MAX = 200;

/** No namespace can be called so. */
const OTHERS = '_other';

/** Gives namespaces their labels: the first that come up their own name, all others the same. */
export class NamespaceLabels {
  private readonly named = new Set<string>();

  of(namespace: string): string {
    if (this.named.has(namespace)) return namespace;
    if (this.named.size >= NAMESPACES_MAX) return OTHERS;
    this.named.add(namespace);
    return namespace;
  }
}
