import {
  estimatedValues,
  type GateState,
  leavesBounds,
  type StepsUnderWay,
  stepsOf,
} from '../../core/counter/counter-gate';
import { add } from '../../core/testing/counter-requests';
import { ANSWER_MAX_MS, GATE_FRESH_MS } from '../../core/timing';
import type { GateMark, GateReply } from '../../storage/redis-gate/gate-store';
import { ModelGate } from '../../storage/redis-gate/testing/model-gate';
import { ConfirmedRefusals, forgetChanged } from '../gate/confirmed-refusals';
import { type GateAsk, GateEntry } from '../gate/gate-entry';

const ID = 'default#stock';

interface Step {
  delta: number;
  steps: StepsUnderWay;
  announcedAt: number;
  /** Undefined: MySQL has not decided yet. 0: it refused. */
  rev?: number;
  value?: number;
}

interface Member {
  name: string;
  entry: GateEntry;
  passed: Step[];
  /** Readings of MySQL that the gate has not received yet. */
  readings: { state: GateState; asOf: number; gateRev: number | null }[];
  due: { asOf: number; gateRev: number | null }[];
  confirmed: ConfirmedRefusals;
  mark: GateMark | null;
  /** The newest rev of its own steps that the gate was not sent. */
  unsent: number;
}

/** How many changes the gate can list: so few that there are sometimes more. */
const CHANGES_MAX = 3;

/** One counter, its gate and some processes, which act one after another. */
export class GateWorld {
  now = 1_000_000;
  truth: GateState;
  readonly gate = new ModelGate(CHANGES_MAX);
  /** How many refusals an exchange has only confirmed. */
  confirmed = 0;
  /** The newest rev of a step that was answered after the gate had received it. */
  private heard = 0;
  /** The states of the counter, and since when each was in force. */
  private readonly past: { at: number; state: GateState }[] = [];
  private readonly members: Member[];
  /** Steps of crashed processes, which MySQL may still decide. */
  private readonly orphans: Step[] = [];
  private names = 0;

  constructor(state: GateState, processes: number) {
    this.truth = state;
    this.remember();
    this.members = Array.from({ length: processes }, () => this.newMember());
  }

  /** Lets a process take a step, about which it asks the gate. */
  ask(at: number, delta: number): void {
    const member = this.member(at);
    const steps = stepsOf(add(delta));
    const passed = member.entry.pass(steps, delta, this.now);
    if (passed) member.passed.push({ delta, steps, announcedAt: this.now });
    if (passed === 'again') this.exchange(at);
    if (passed) return;
    const { heard } = this;
    const ask: GateAsk = {
      steps,
      refusable: delta,
      isAnnounced: false,
      answer: (refusal) => {
        if (refusal) this.checkRefusal(delta, heard);
        else member.passed.push({ delta, steps, announcedAt: this.now });
      },
    };
    if (!member.confirmed.take(member.entry, ask)) member.entry.waiting.push(ask);
  }

  /** @param fate whether the gate receives the messages, and the process the reply */
  exchange(at: number, fate: 'heard' | 'lost' | 'replyLost' = 'heard'): void {
    const member = this.member(at);
    const { entry, confirmed } = member;
    const messages = entry.takeMessages(this.now);
    confirmed.send();
    if (fate !== 'lost') {
      const exchange = this.gate.exchange(member.name, messages, this.now, member.mark);
      if (fate === 'heard') {
        this.heard = Math.max(this.heard, member.unsent);
        member.mark = exchange.mark;
        forgetChanged(exchange, new Map([[ID, entry]]));
        const reply = exchange.replies.at(-1) as GateReply;
        const gateRev = reply.state?.rev ?? null;
        if (reply.readIsDue) member.due.push({ asOf: exchange.now, gateRev });
        entry.receive(reply);
        this.confirmed += confirmed.receive(exchange, () => {});
        return;
      }
    }
    member.mark = null;
    confirmed.giveUp(() => {});
    entry.giveUp();
  }

  /** Makes an exchange without messages, which only confirms earlier replies of the gate. */
  confirm(at: number): void {
    const member = this.member(at);
    const { entry, confirmed } = member;
    confirmed.send();
    const exchange = this.gate.exchange(member.name, [], this.now, member.mark);
    member.mark = exchange.mark;
    forgetChanged(exchange, new Map([[ID, entry]]));
    this.confirmed += confirmed.receive(exchange, () => {});
  }

  /** Lets MySQL decide a step that has passed, unless it is too late. */
  commit(at: number, which: number): void {
    const open = [...this.member(at).passed, ...this.orphans].filter(
      ({ rev }) => rev === undefined,
    );
    const step = open[which % Math.max(1, open.length)];
    if (!step || this.now - step.announcedAt >= ANSWER_MAX_MS) return;
    if (leavesBounds(this.truth, step.delta)) {
      step.rev = 0;
      return;
    }
    this.change({ value: this.truth.value + step.delta });
    step.rev = this.truth.rev;
    step.value = this.truth.value;
  }

  /** Delivers MySQL's answer to a step, or ends a step that can no longer be applied. */
  settle(at: number, which: number): void {
    const member = this.member(at);
    const isOver = ({ rev, announcedAt }: Step) =>
      rev !== undefined || this.now - announcedAt >= ANSWER_MAX_MS;
    const over = member.passed.filter(isOver);
    const step = over[which % Math.max(1, over.length)];
    if (!step) return;
    member.passed.splice(member.passed.indexOf(step), 1);
    member.entry.end(step.steps);
    const { rev, value } = step;
    if (!rev || value === undefined) return;
    member.entry.note({ rev, value });
    member.unsent = Math.max(member.unsent, rev);
  }

  /** Lets the process read MySQL if the gate has asked it to. */
  read(at: number): void {
    const member = this.member(at);
    for (const due of member.due.splice(0)) member.readings.push({ ...due, state: this.truth });
  }

  /** Sends the oldest reading to the gate. */
  sendReading(at: number): void {
    const member = this.member(at);
    const reading = member.readings.shift();
    if (!reading) return;
    const { state, asOf, gateRev } = reading;
    const { rev, value, floor, ceiling } = state;
    member.entry.reading = { rev, value, reading: { floor, ceiling, asOf, gateRev } };
  }

  crash(at: number): void {
    this.orphans.push(...this.member(at).passed);
    this.members[at % this.members.length] = this.newMember();
  }

  wipe(): void {
    this.gate.wipe();
  }

  pass(ms: number): void {
    this.now += ms;
  }

  change(part: Partial<GateState>): void {
    this.truth = { ...this.truth, ...part, rev: this.truth.rev + 1 };
    this.remember();
  }

  /** Throws if the estimate of what is left is too high. */
  checkEstimate(): void {
    const { state, underWay } = this.gate.peek(ID, this.now);
    if (!state) return;
    const { low, high } = estimatedValues({ state, underWay });
    const { value } = this.truth;
    if (state.floor !== null && low > value) throw new Error(`low ${low}, truly ${value}`);
    if (state.ceiling !== null && high < value) throw new Error(`high ${high}, truly ${value}`);
  }

  /**
   * Throws unless the refusal was right at some instant while its state was fresh, at or after the
   * newest step that was answered before the caller asked.
   */
  private checkRefusal(delta: number, heard: number): void {
    const from = this.now - GATE_FRESH_MS;
    const isRight = this.past.some(({ state }, i) => {
      const until = this.past[i + 1]?.at ?? Number.POSITIVE_INFINITY;
      return until >= from && state.rev >= heard && leavesBounds(state, delta);
    });
    if (!isRight) throw new Error(`${delta} was refused at ${JSON.stringify(this.truth)}`);
  }

  private remember(): void {
    this.past.push({ at: this.now, state: this.truth });
  }

  private member(at: number): Member {
    return this.members[at % this.members.length] as Member;
  }

  private newMember(): Member {
    this.names += 1;
    const entry = new GateEntry(ID);
    const name = `p${this.names}`;
    const confirmed = new ConfirmedRefusals();
    return { name, entry, passed: [], readings: [], due: [], confirmed, mark: null, unsent: 0 };
  }
}
