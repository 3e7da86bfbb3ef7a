import type { ConfiguredWitness } from '../../bootstrap/config/witness-urls';
import type { HolderEvidence, Observation } from './holder-evidence';
import type { Holder } from './holder-index';
import { inTurn, type Question } from './in-turn';
import { askUrl, witnessUrl } from './url-witness';

/** The most URLs that are asked in one round, and at the same time. */
const URLS_MAX = 500;
const AT_ONCE = 8;

const ASK_EVERY_MS = 10_000;

interface UrlQuestion extends Question {
  url: string;
  holders: Holder[];
}

/** Asks the configured URLs about pods and CI runs that hold locks. One process need do this. */
export class UrlWitnesses {
  private ending = new AbortController();

  constructor(
    private readonly witnesses: readonly ConfiguredWitness[],
    private readonly evidence: Pick<HolderEvidence, 'holders' | 'lastOf' | 'note'>,
    private readonly ask: typeof askUrl = askUrl,
  ) {}

  /**
   * A periodic job for each witness: a round of one that does not respond takes minutes, and must
   * not delay the others.
   */
  jobs(): { name: string; everyMs: number; run: () => Promise<void> }[] {
    return this.witnesses.map((witness) => ({
      name: 'ask the URLs of witnesses',
      everyMs: ASK_EVERY_MS,
      run: () => this.askWitness(witness, this.ending.signal),
    }));
  }

  /** Ends the rounds under way. */
  abort(): void {
    this.ending.abort();
  }

  restart(): void {
    this.ending = new AbortController();
  }

  /** Asks each URL at most once, in the order of `inTurn`. */
  private async askWitness(witness: ConfiguredWitness, ending: AbortSignal): Promise<void> {
    const by = { kind: 'url', witness: witness.id } as const;
    const next = inTurn(this.questions(witness)).slice(0, URLS_MAX).values();
    const observed: (readonly [Holder, Observation])[] = [];
    let noting: Promise<void> | null = null;
    const note = () =>
      this.evidence.note(by, observed.splice(0)).finally(() => {
        noting = null;
      });
    const worker = async () => {
      for (const { url, holders } of next) {
        const answer = await this.ask(url, witness, ending);
        // The last request was aborted, and the rest is not sent.
        if (ending.aborted) return;
        for (const holder of holders) observed.push([holder, answer]);
        // An answer counts from when it is noted; those that arrive during a write share the next.
        while (observed.length > 0) {
          noting ??= note();
          await noting;
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }

  /** Each URL with its holders. If several services share one, it counts for the first of them. */
  private questions({ id, template }: ConfiguredWitness): Iterable<UrlQuestion> {
    const urls = new Map<string, UrlQuestion>();
    for (const holder of this.evidence.holders.all()) {
      const last = this.evidence.lastOf(holder.id, { kind: 'url', witness: id });
      if (last?.state === 'dead') continue;
      const url = witnessUrl(template, holder.meta);
      if (url === null) continue;
      const at = last?.at ?? 0;
      const known = urls.get(url);
      if (known) {
        known.holders.push(holder);
        known.at = Math.min(known.at, at);
      } else urls.set(url, { url, holders: [holder], service: holder.service, at });
    }
    return urls.values();
  }
}
