import type { BackendHealth } from '../../contract/console/backend-health';
import type { LockListInput } from '../../contract/console/console-inputs';
import type { LockFrame } from '../../contract/console/lock-list-message';
import type { LockPage } from '../../contract/console/lock-row';
import type { Clock } from '../../platform/clock';
import type { AnswerTurns } from '../watch/answer-turns';
import { ListView, type ViewInput, viewKey } from './list-view';
import { RankBuffers } from './order/rank-buffers';
import { Ranking } from './order/ranking';
import type { LockTable } from './table/lock-table';

/** A view is dropped when no stream follows it and no page has requested it in this time. */
const IDLE_MS = 60_000;

/** How many views without followers are kept. */
const IDLE_VIEWS_MAX = 32;

/** Pages with more rows, more than the console requests, wait for those of others. */
const SMALL_ROWS = 200;

/** The lock list in every view that pages have open. Requests for the same view share the work. */
export class LockListPages {
  private readonly rankings = new Map<string, Ranking>();
  private readonly views = new Map<string, ListView>();
  private readonly buffers = new RankBuffers();
  private readonly frames: FrameSource;

  constructor(
    private readonly table: LockTable,
    private readonly clock: Clock,
    healths: () => BackendHealth[],
    private readonly turns: Pick<AnswerTurns, 'run'>,
  ) {
    this.frames = new FrameSource(table, healths, () => clock.now());
  }

  /**
   * A page of the list. Needs no read of any backend; a view that was requested a moment ago costs
   * next to nothing. Of pages requested together, each is built and sent before the next one.
   *
   * @param slowed see `LockPage`
   */
  async page(input: LockListInput, slowed: boolean): Promise<LockPage> {
    const slice = this.table.slice();
    await this.table.refresh();
    const view = this.view(input);
    await view.update(slice);
    const isLarge = input.limit > SMALL_ROWS;
    return this.turns.run(() => this.pageOf(view, input, slowed), { isLarge, extraMs: 0 });
  }

  private pageOf(view: ListView, { offset, limit }: LockListInput, slowed: boolean): LockPage {
    const slots = view.order.window(offset, limit);
    const rows = Array.from(slots).flatMap((slot) => this.table.lockRow(slot) ?? []);
    return { ...this.frame(view, offset, this.frames.read(slowed, true)), rows };
  }

  /** The view for this input. Its `update` brings it up to date. */
  view(input: ViewInput): ListView {
    const text = viewKey(input);
    const view = this.views.get(text) ?? new ListView(input, this.ranking(input), this.table);
    view.usedAt = this.clock.monotonic();
    this.views.delete(text);
    this.views.set(text, view);
    this.evictIdle();
    return view;
  }

  shared(slowed: boolean, isKeepAlive: boolean): SharedFrame {
    return this.frames.read(slowed, isKeepAlive);
  }

  frame(view: ListView, offset: number, shared: SharedFrame): LockFrame {
    const { order, ranking } = view;
    return { offset, ranking: ranking.name, matching: order.length, ...shared };
  }

  private ranking({ sort, descending }: ViewInput): Ranking {
    const text = `${sort}/${descending}`;
    const known = this.rankings.get(text);
    if (known) return known;
    const ranking = new Ranking(this.table, sort, descending, this.clock, this.buffers);
    this.rankings.set(text, ranking);
    return ranking;
  }

  /** Drops idle views. `views` is in order of the last request, the oldest first. */
  private evictIdle(): void {
    const oldest = this.clock.monotonic() - IDLE_MS;
    const idle = [...this.views].filter(([, { windows }]) => windows === 0);
    for (const [i, [text, { usedAt }]] of idle.entries()) {
      if (usedAt < oldest || i < idle.length - IDLE_VIEWS_MAX) this.views.delete(text);
    }
    const used = new Set([...this.views.values()].map(({ ranking }) => ranking));
    for (const [text, ranking] of this.rankings) if (!used.has(ranking)) this.rankings.delete(text);
  }
}

/** The part of a frame that is the same for pages of all views. */
type SharedFrame = Omit<LockFrame, 'offset' | 'ranking' | 'matching'>;

/** These change with every reading, and matter little. */
const VOLATILE = new Set(['latencyMs', 'silentForMs', 'clockOffsetMs', 'clockSpreadMs']);
/** Only whether it is there matters. */
const UNREAD: keyof BackendHealth = 'unreadForMs';

/** The content of pages besides rows. An unchanged part is the same object as last time. */
class FrameSource {
  private last: SharedFrame | null = null;

  constructor(
    private readonly table: LockTable,
    private readonly healths: () => BackendHealth[],
    private readonly now: () => number,
  ) {}

  /** @param isKeepAlive whether to include backends of which only `VOLATILE` values have changed */
  read(slowed: boolean, isKeepAlive: boolean): SharedFrame {
    const { locks: total, waiting, counts } = this.table.groups.sum();
    const { namespaces } = this.table.groups;
    const backends = this.healths();
    const { last } = this;
    const frame = {
      counts: reuseIfEqual(last?.counts, counts, JSON.stringify),
      total,
      waiting,
      attention: this.table.attention.count,
      namespaces: reuseIfEqual(last?.namespaces, namespaces, JSON.stringify),
      backends: isKeepAlive ? backends : reuseIfEqual(last?.backends, backends, stableText),
      slowed,
      asOf: this.now(),
    };
    this.last = frame;
    return frame;
  }
}

function reuseIfEqual<V>(before: V | undefined, now: V, textOf: (value: V) => string): V {
  return before !== undefined && textOf(before) === textOf(now) ? before : now;
}

const stableText = (healths: BackendHealth[]) =>
  JSON.stringify(healths, (key, value: unknown) =>
    VOLATILE.has(key) ? undefined : key === UNREAD ? true : value,
  );
