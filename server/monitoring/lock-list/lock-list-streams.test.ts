import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type LockListInput, lockListInput } from '../../contract/console/console-inputs';
import { type LockListMessage, pageAfter } from '../../contract/console/lock-list-message';
import type { LockPage } from '../../contract/console/lock-row';
import { type LockSpec, TableRig } from '../testing/table-rig';

/** Reads a live list as a browser does. */
class Reader {
  page: LockPage | null = null;
  lastId: string | null = null;
  readonly messages: LockListMessage[] = [];
  private line = new AbortController();
  private reading: Promise<void> = Promise.resolve();

  constructor(
    private readonly rig: TableRig,
    readonly input: LockListInput,
  ) {
    onTestFinished(() => rig.live.close());
  }

  async open(): Promise<void> {
    this.line = new AbortController();
    const met = this.messages.length;
    this.reading = this.read();
    while (this.page === null) await setImmediate();
    for (let turn = 0; turn < 20 && this.messages.length === met; turn += 1) await setImmediate();
  }

  async cut(): Promise<void> {
    this.line.abort();
    await this.reading;
  }

  private async read(): Promise<void> {
    const { live } = this.rig;
    for await (const { id, data } of live.follow(this.input, this.lastId, this.line.signal)) {
      this.messages.push(data);
      this.lastId = id;
      this.page = data.kind === 'whole' ? data.page : pageAfter(this.page as LockPage, data);
    }
  }
}

async function opened(rig: TableRig, input: object = {}): Promise<Reader> {
  const reader = new Reader(rig, lockListInput.parse(input));
  await reader.open();
  return reader;
}

async function tell(rig: TableRig): Promise<void> {
  await rig.live.notify();
  await setImmediate();
}

const INPUTS = [
  { limit: 5 },
  { limit: 5 },
  { sort: 'name', offset: 3, limit: 7 },
  { status: 'held', sort: 'held' },
  { namespace: 'away', sort: 'waiters', descending: true },
];

const parts: fc.Arbitrary<LockSpec> = fc.record({
  namespace: fc.constantFrom('default', 'away'),
  heldMs: fc.option(fc.constantFrom(0, 10, 4_000)),
  leaseLeftMs: fc.constantFrom(50, 9_000, 60_000),
  waiters: fc.constantFrom(0, 0, 1, 3),
});
const kind = fc.constantFrom('gone', 'refused', 'stored', 'stored', 'stored');
const change = fc.record({ place: fc.nat(15), kind, parts });
const round = fc.record({
  changes: fc.array(change, { maxLength: 6 }),
  waitMs: fc.constantFrom(0, 0, 600, 3_000, 11_000),
  isSilent: fc.nat(6).map((i) => i === 0),
  cuts: fc.array(fc.nat(INPUTS.length - 1), { maxLength: 2 }),
});

describe('a live list', () => {
  it('gives the complete list after every tick, even to a reader that reconnects', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(round, { maxLength: 15 }), async (rounds) => {
        const rig = new TableRig();
        const readers = await Promise.all(INPUTS.map((input) => opened(rig, input)));
        const whole = async ({ input }: Reader) => ({
          ...(await rig.lists.page(input, false)),
          asOf: 0,
        });
        for (const { changes, waitMs, isSilent, cuts } of rounds) {
          const gone = [...new Set(cuts)].flatMap((place) => readers[place] ?? []);
          for (const reader of gone) await reader.cut();
          for (const { place, kind, parts: of } of changes) {
            if (kind === 'gone') rig.remove(`job-${place}`, of.namespace);
            else if (kind === 'refused') rig.refuse(`job-${place}`, of.namespace);
            else rig.store(`job-${place}`, of);
          }
          rig.now += waitMs;
          if (isSilent && !rig.silent.delete('other')) rig.silent.add('other');
          await tell(rig);
          for (const reader of gone) await reader.open();
          for (const reader of readers) {
            expect({ ...reader.page, asOf: 0 }).toEqual(await whole(reader));
          }
        }
        for (const reader of readers) {
          expect(reader.messages.filter(({ kind }) => kind === 'whole')).toHaveLength(1);
          await reader.cut();
        }
        expect(rig.live.readers).toBe(0);
      }),
      { numRuns: 25 },
    );
  });

  it('sends only changed rows, and the order only when it has changed', async () => {
    const rig = new TableRig();
    for (let i = 0; i < 40; i += 1) rig.store(`job-${10 + i}`);
    const reader = await opened(rig, { sort: 'name', limit: 20 });
    rig.store('job-12', { waiters: 2 });
    rig.store('job-45', { waiters: 1 });
    await tell(rig);
    const [, first] = reader.messages;
    expect(first).toMatchObject({ kind: 'changes', rows: [{ name: 'job-12', waiters: 2 }] });
    expect(first).not.toHaveProperty('order');
    expect(first).toMatchObject({ frame: { waiting: 3, counts: { contended: 2, held: 38 } } });
    expect(first).not.toHaveProperty('frame.backends');
    rig.remove('job-10');
    await tell(rig);
    const [, , second] = reader.messages;
    expect(second).toMatchObject({ rows: [{ name: 'job-30' }], frame: { matching: 39 } });
    expect(second).toHaveProperty('order.length', 20);
    await tell(rig);
    expect(reader.messages).toHaveLength(3);
    rig.now += 2_000;
    await tell(rig);
    expect(reader.messages).toHaveLength(4);
    expect(reader.messages[3]).toMatchObject({ rows: [], asOf: rig.now });
    await reader.cut();
  });

  it('sends that a backend has been read, but not each second that it takes', async () => {
    const rig = new TableRig();
    rig.store('job-10');
    rig.unreadForMs = 61_000;
    const reader = await opened(rig);
    rig.unreadForMs = 62_000;
    await tell(rig);
    expect(reader.messages).toHaveLength(1);
    delete rig.unreadForMs;
    await tell(rig);
    expect(reader.messages[1]).toHaveProperty('frame.backends');
    await reader.cut();
  });

  it('computes a view once for all of its readers', async () => {
    const rig = new TableRig();
    for (let i = 0; i < 20; i += 1) rig.store(`job-${i}`);
    const readers = await Promise.all(Array.from({ length: 5 }, () => opened(rig)));
    rig.store('job-3', { waiters: 1 });
    await tell(rig);
    const last = readers.map(({ messages }) => messages.at(-1));
    expect(last[0]).toMatchObject({ kind: 'changes', rows: [{ name: 'job-3' }] });
    for (const message of last) expect(message).toBe(last[0]);
    for (const reader of readers) await reader.cut();
  });

  it('loses nothing for its readers when another one joins just before a tick', async () => {
    const rig = new TableRig();
    rig.store('job-1');
    const first = await opened(rig);
    rig.store('job-1', { waiters: 1 });
    const second = await opened(rig);
    await tell(rig);
    expect(first.page?.rows).toMatchObject([{ waiters: 1 }]);
    expect(first.page?.rows).toEqual(second.page?.rows);
    for (const reader of [first, second]) await reader.cut();
  });

  it('restarts with the full list for a late reader, or one from another process', async () => {
    const rig = new TableRig();
    rig.store('job-1');
    for (const lastId of ['epoch.999999', 'elsewhere.1', '1700000000000', 'epoch.', '']) {
      const reader = new Reader(rig, lockListInput.parse({}));
      reader.lastId = lastId;
      await reader.open();
      expect(reader.messages).toMatchObject([{ kind: 'whole', page: { total: 1 } }]);
      await reader.cut();
    }
  });
});
