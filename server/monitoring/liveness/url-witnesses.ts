import type { ConfiguredWitness } from '../../bootstrap/config/witness-urls';
import type { HolderEvidence, Observation } from './holder-evidence';
import type { Holder } from './holder-index';
import { askUrl, witnessUrl } from './url-witness';

/** URLs asked in one round, and at the same time. */
const URLS_MAX = 500;
const AT_ONCE = 8;

/** Asks the configured URLs about the pods and CI runs that hold locks. For one process of all. */
export class UrlWitnesses {
  constructor(
    private readonly witnesses: readonly ConfiguredWitness[],
    private readonly life: Pick<HolderEvidence, 'holders' | 'lastOf' | 'note'>,
    private readonly ask: typeof askUrl = askUrl,
  ) {}

  /** One round. Asks each URL once, those that were asked longest ago first. */
  async run(): Promise<void> {
    for (const witness of this.witnesses) await this.askWitness(witness);
  }

  private async askWitness(witness: ConfiguredWitness): Promise<void> {
    const by = { kind: 'url', witness: witness.id } as const;
    const open = [...this.questions(witness)].slice(0, URLS_MAX);
    const next = open.values();
    const observed: (readonly [Holder, Observation])[] = [];
    const worker = async () => {
      for (const [url, { holders }] of next) {
        const answer = await this.ask(url, witness);
        for (const holder of holders) observed.push([holder, answer]);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    await this.life.note(by, observed);
  }

  /** The holders of each URL, the one longest without a report first. */
  private questions({ id, template }: ConfiguredWitness) {
    const urls = new Map<string, { holders: Holder[]; at: number }>();
    for (const holder of this.life.holders.all()) {
      const last = this.life.lastOf(holder.id, { kind: 'url', witness: id });
      if (last?.state === 'dead') continue;
      const url = witnessUrl(template, holder.meta);
      if (url === null) continue;
      const at = last?.at ?? 0;
      const known = urls.get(url);
      if (known) known.holders.push(holder);
      urls.set(url, { holders: known?.holders ?? [holder], at: Math.min(known?.at ?? at, at) });
    }
    return [...urls].sort(([, a], [, b]) => a.at - b.at);
  }
}
