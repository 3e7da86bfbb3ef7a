import { STORE_CALL_MAX_MS } from '../../core/timing';
import { type StoredRecord, StoreError, type SwapResult } from '../record-store';
import type { ConnectionProvider, Generation } from './client/guarded-connection';
import { bytesOf, CODE, type MultiAnswer, type Step, ZookeeperRefusal } from './client/wire-calls';
import { asStoreError } from './client/zookeeper-session';
import type { HistoryChunks } from './history-chunks';
import { type KnownRecordZnode, NO_RECORD } from './read-znodes';
import { mustRecreate, type SwapUnit, swapSteps, type TrackedStep } from './swap-unit';
import { isWithin } from './windowed-codec';
import type { ZnodeCache } from './znode-cache';
import { encodeHistoryZnode, type HistoryContent, historyContent } from './znode-codec';
import type { ZookeeperLimits } from './zookeeper-layout';

/** By default ZooKeeper closes a connection that sends a packet of 1 MB or more. */
const LARGEST_PACKET = 1_000_000;
const PACKET_BYTES = 256 * 1024;
const PACKET_UNITS = 64;

/** How long conflicts with other writers are retried; after that the caller may try once more. */
const GIVE_UP_AFTER_MS = 1_000;

/** A write that is answered happened at most this long after the clock was read for it. */
const CALL_MS = STORE_CALL_MAX_MS;

/** The contents of one `multi`. */
interface Packet {
  units: SwapUnit[];
  steps: TrackedStep[];
  bytes: number;
}

/**
 * Writes units of changes. Many units go into one packet, which ZooKeeper applies as a whole or not
 * at all; if one of them conflicts, each is tried in a packet of its own. A unit is reported as
 * lost only after a read that began after the call.
 */
export class ZookeeperSwap {
  private readonly results: Map<SwapUnit, SwapResult[]> = new Map();
  private appliedSome = false;
  /** ZooKeeper's incarnation when the call began: a change for another one is not applied. */
  private admitted: Pick<Generation, 'incarnation' | 'epoch'> = { incarnation: null, epoch: 0 };
  /** Whether unknown records and answers are assumed to be absent: in the first round only. */
  private mayGuess = true;

  constructor(
    private readonly session: ConnectionProvider,
    private readonly cache: ZnodeCache,
    private readonly chunks: HistoryChunks,
    private readonly limits: ZookeeperLimits,
  ) {}

  /** The results of all changes, in order. */
  async run(units: SwapUnit[]): Promise<SwapResult[]> {
    const startedAt = this.session.monotonic();
    await this.session.connected();
    this.admitted = this.session.generation;
    let open = units;
    for (let round = 0; open.length > 0; round += 1) {
      if (round > 0 && this.session.monotonic() - startedAt > GIVE_UP_AFTER_MS)
        throw this.contended();
      // Noted before anything is read: what is deleted after it was read ends this generation.
      const { generation } = this.session;
      const ready = await this.selectApplicable(open);
      const packets = round === 0 ? this.pack(ready) : ready.map((unit) => this.packetOf([unit]));
      const sent = await Promise.allSettled(packets.map((packet) => this.send(packet, generation)));
      const refused = sent.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      if (refused.length > 0) throw this.worst(refused);
      open = open.filter((unit) => !this.results.has(unit));
      this.mayGuess = false;
    }
    return units.flatMap((unit) => this.results.get(unit) ?? []);
  }

  /**
   * The units that may be applied, as far as is known; reports the others as lost. The expectation
   * is compared with the very version to be overwritten, even if a newer one is read meanwhile.
   */
  private async selectApplicable(open: SwapUnit[]): Promise<SwapUnit[]> {
    const doubtful = this.inapplicable(open, (id) => this.cache.record(id) ?? this.guess());
    const answerKeys = open.flatMap((unit) => unit.answerKeys);
    const extended = extendedAnswers(open);
    const missing = new Set(answerKeys.filter((key) => this.isMissing(key, extended.get(key))));
    if (doubtful.length === 0 && missing.size === 0) return open;
    const ids = doubtful.flatMap((unit) => unit.ids);
    // What is read as unchanged was so at this instant, and may have been changed since.
    const unchangedAt = this.session.earliest();
    const { records } = await this.cache.read(this.session, ids, [...missing]);
    const read = new Map(ids.map((id, i) => [id, records[i]]));
    const lost = this.inapplicable(doubtful, (id) => read.get(id));
    for (const unit of lost) {
      const current = unit.ids.map((id) => read.get(id)?.content ?? null);
      this.reply(unit, false, unchangedAt, current);
    }
    return open.filter((unit) => !lost.includes(unit));
  }

  private guess(): KnownRecordZnode | undefined {
    return this.mayGuess ? NO_RECORD : undefined;
  }

  /**
   * Whether an answer must be read first. An answer to be written is assumed to be new in the first
   * round. One to be extended is read if it is unknown, absent or may have expired, since it may
   * have been written, and if it seems to last long enough, since a shorter one may have replaced
   * it.
   *
   * @param until the earliest instant to which it is to be extended; absent: it is to be written
   */
  private isMissing(key: string, until: number | undefined): boolean {
    const known = this.cache.answer(key);
    if (known?.content && known.content.expiresAt >= this.session.latest())
      return until !== undefined && known.content.expiresAt >= until;
    if (!known && !this.mayGuess) return true;
    return until !== undefined;
  }

  /** The units that cannot be applied now; notes what each of the others overwrites. */
  private inapplicable(
    units: SwapUnit[],
    knownOf: (id: string) => KnownRecordZnode | undefined,
  ): SwapUnit[] {
    const earliest = this.session.earliest();
    const latest = this.session.latest() + CALL_MS;
    return units.filter((unit) => {
      if (earliest >= unit.window.ahead || latest < unit.window.past) return true;
      const seen = this.expectedZnodes(unit, knownOf);
      if (seen) unit.seen = seen;
      return seen === null;
    });
  }

  /** The records that the unit overwrites; null: one is unknown, or not as its change expects. */
  private expectedZnodes(
    { changes, ids }: SwapUnit,
    knownOf: (id: string) => KnownRecordZnode | undefined,
  ): KnownRecordZnode[] | null {
    const seen: KnownRecordZnode[] = [];
    for (const [i, { expect, epoch = this.admitted.epoch }] of changes.entries()) {
      const known = knownOf(ids[i] ?? '');
      if (!known || epoch !== this.admitted.epoch) return null;
      const { content } = known;
      if (content?.rev !== expect?.rev || content?.writer !== expect?.writer) return null;
      seen.push(known);
    }
    return seen;
  }

  /** @param current the current records of a unit that was not applied */
  private reply(
    unit: SwapUnit,
    applied: boolean,
    now: number,
    current: (StoredRecord | null)[],
  ): void {
    const results = unit.changes.map(({ rev, writer }, i): SwapResult => {
      if (applied) return { applied, now, current: { rev, writer } };
      const found = current[i];
      return {
        applied,
        now,
        current: found ? { rev: found.rev, writer: found.writer } : null,
      };
    });
    this.results.set(unit, results);
  }

  /**
   * A unit that is too large is not sent; it is reported as too large once a read shows that it
   * could otherwise be applied. If several share a packet, each is tried alone.
   */
  private skipTooLarge({ units, steps }: Packet): void {
    for (const { dropCached } of steps) dropCached();
    if (this.mayGuess) return;
    for (const unit of units) {
      const current = unit.seen.map((seen) => seen.content);
      this.reply(unit, false, this.session.earliest(), current);
      for (const result of this.results.get(unit) ?? []) result.isTooLarge = true;
    }
  }

  /** No packet writes the same answer twice: its version after the first write is not known. */
  private pack(units: SwapUnit[]): Packet[] {
    const packets: Packet[] = [];
    let keys = new Set<string>();
    for (const unit of units) {
      const own = this.packetOf([unit]);
      const last = packets.at(-1);
      const unitKeys = unit.answerKeys;
      const fits =
        last &&
        last.units.length < PACKET_UNITS &&
        last.bytes + own.bytes <= PACKET_BYTES &&
        !unitKeys.some((key) => keys.has(key));
      if (fits) {
        last.units.push(unit);
        last.steps.push(...own.steps);
        last.bytes += own.bytes;
      } else {
        packets.push(own);
        keys = new Set();
      }
      for (const key of unitKeys) keys.add(key);
    }
    return packets;
  }

  private packetOf(units: SwapUnit[]): Packet {
    const steps = units.flatMap((unit) =>
      swapSteps(unit, this.session.layout, this.cache, this.limits),
    );
    return { units, steps, bytes: bytesOf(steps.map(({ step }) => step)) };
  }

  private async send(packet: Packet, noted: Generation): Promise<void> {
    const { units, steps } = packet;
    const generation = { ...noted, incarnation: this.admitted.incarnation };
    const content = historyContent(changesOf(units));
    const history = this.historyStep(content, generation.chunk);
    const guard = units.some((unit) => mustRecreate(unit, this.limits.lastVersion))
      ? this.chunks.newGeneration(generation)
      : {
          kind: 'check' as const,
          path: this.session.layout.generation,
          version: generation.version,
        };
    const all = [guard, ...steps.map(({ step }) => step), ...history];
    if (packet.bytes + bytesOf([guard, ...history]) > LARGEST_PACKET)
      return this.skipTooLarge(packet);
    const answer = await this.session.write(all, generation);
    if (!answer.applied) return this.handleConflict(answer, steps);
    const { at, done } = answer;
    for (const [i, { cacheWritten }] of steps.entries())
      cacheWritten(done[i + 1]?.stat?.version ?? 0, at);
    const row = done[steps.length + 1]?.path;
    if (row !== undefined) this.chunks.noteRow(generation, row, content, at);
    for (const unit of units) {
      const applied = isWithin(unit.window, at);
      this.appliedSome ||= applied;
      const current = unit.seen.map((seen) => seen.content);
      this.reply(unit, applied, at, current);
    }
    // Last: if it fails, what was applied is known.
    if (guard.kind === 'set') await this.session.refreshGeneration();
  }

  private historyStep(content: HistoryContent, chunk: number): Step[] {
    if (content.windows.length === 0) return [];
    const path = `${this.session.layout.chunk(chunk)}/n`;
    return [{ kind: 'create', path, data: encodeHistoryZnode(content), isSequential: true }];
  }

  /** Nothing of the packet was written. Conflicting znodes are read again before the next try. */
  private async handleConflict(
    { failedAt, code }: Extract<MultiAnswer, { applied: false }>,
    steps: TrackedStep[],
  ): Promise<void> {
    if (code !== CODE.badVersion && code !== CODE.noNode && code !== CODE.nodeExists) {
      throw new ZookeeperRefusal(code);
    }
    const step = steps[failedAt - 1];
    const mayBeGone = step ? step.step.kind !== 'create' : failedAt === 0;
    if (code === CODE.noNode && !mayBeGone) throw await this.parentIsGone();
    if (step) step.dropCached();
    else await this.session.refreshGeneration();
  }

  /** A znode that is never removed is missing: everything must be inspected. */
  private async parentIsGone(): Promise<StoreError> {
    const connection = await this.session.connected();
    return connection.changed();
  }

  private contended(): StoreError {
    const text = 'Other writers kept changing these records.';
    return new StoreError(text, this.appliedSome ? 'unknown' : 'no', { retryable: true });
  }

  private worst(reasons: unknown[]): StoreError {
    const errors = reasons.map(asStoreError);
    const unknown = errors.find(({ applied }) => applied === 'unknown');
    const error = unknown ?? errors[0] ?? this.contended();
    if (error.applied === 'unknown' || !this.appliedSome) return error;
    return new StoreError(error.message, 'unknown', { cause: error });
  }
}

const changesOf = (units: SwapUnit[]) =>
  units.flatMap(({ changes, window }) => changes.map((change) => ({ change, window })));

/** By key: the earliest instant to which these units extend an answer. */
function extendedAnswers(units: SwapUnit[]): Map<string, number> {
  const until = new Map<string, number>();
  const extensions = units.flatMap(({ changes }) => changes.flatMap((change) => change.extensions));
  for (const { keys, expiresAt } of extensions) {
    for (const key of keys) until.set(key, Math.min(expiresAt, until.get(key) ?? expiresAt));
  }
  return until;
}
