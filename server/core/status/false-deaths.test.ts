import { expect, test } from 'vitest';
import { type Kernel, lookAtProcess } from '@/client/command/witness/look-at-process';
import { newSeed, seeded } from '../../engine/testing/seeded';
import { livenessOf, type WitnessReport } from './holder-liveness';
import { type HostIdentity, hostKey, type ProcessIdentity, processKey } from './process-identity';

const CASES = process.env.TEST_LONG === '1' ? 1_000 : 300;
const STEPS = 60;

interface SimProcess extends ProcessIdentity {
  /** What the kernel shows; null once its process id is free. */
  state: 'S' | 'T' | 'Z' | null;
  pod: string;
}

/** A process id namespace of one boot of a machine, with a witness in it. */
interface SimNamespace extends HostIdentity {
  byPid: Map<number, SimProcess>;
  /** Processes of other users may not be looked at. */
  isHidden: boolean;
  /** The witness reaches the server. */
  isReachable: boolean;
}

interface SimHold {
  process: SimProcess;
  grantedAt: number;
  renewedAt: number;
  renewals: number;
  reports: WitnessReport[];
}

/** Machines, containers and pods in which processes take locks, stop, die and are replaced. */
class SimWorld {
  readonly holds: SimHold[] = [];
  deaths = 0;
  private readonly namespaces: SimNamespace[] = [];
  private readonly pods = new Map<string, SimProcess>();
  private boots = 0;
  private ticks = 100;
  private now = 1_000_000_000;

  constructor(private readonly random: () => number) {
    for (let i = 0; i < 3; i += 1) this.boot();
  }

  step(): void {
    this.now += this.below(4_000);
    this.ticks += 1 + this.below(500);
    const process = this.anyProcess();
    const namespace = this.any(this.namespaces);
    this.any([
      () => this.boot(),
      () => this.container(),
      () => this.reuse(process),
      () => this.end(process, this.below(4) === 0 ? 'Z' : null),
      () => this.signal(process, 'S', 'T'),
      () => this.signal(process, 'T', 'S'),
      () => {
        if (namespace) namespace.isReachable = !namespace.isReachable;
      },
      // A clock is set, by up to an hour either way.
      () => {
        this.now += this.below(7_200_000) - 3_600_000;
      },
      () => this.renew(),
      () => this.askPods(),
      () => this.start(),
      () => this.take(process),
      () => this.report(),
      () => this.report(),
    ])?.();
  }

  /** Living processes that are called dead. */
  falseDeaths(): string[] {
    return this.holds.flatMap((hold) => {
      const { state, evidence } = livenessOf(hold, hold.reports, this.now);
      if (state !== 'dead') return [];
      this.deaths += 1;
      const isAlive = hold.process.state === 'S' || hold.process.state === 'T';
      return isAlive ? [`${hold.process.pid} on ${hostKey(hold.process)}: ${evidence}`] : [];
    });
  }

  /** A machine starts, or again: the first ones keep their names. */
  private boot(): void {
    this.boots += 1;
    const host = `host-${this.below(2)}`;
    if (this.below(2) === 0) {
      for (const old of this.namespaces.filter((each) => each.host === host)) this.lose(old);
    }
    const bootId = `00000000-0000-0000-0000-${String(this.boots).padStart(12, '0')}`;
    this.open({ host, bootId, pidNamespace: '4026531836' });
  }

  /** A container on one of the machines, perhaps with a host name that another one has too. */
  private container(): void {
    const outer = this.any(this.namespaces);
    if (!outer) return;
    const host = this.below(2) === 0 ? 'web' : outer.host;
    this.open({ host, bootId: outer.bootId, pidNamespace: String(4_026_532_000 + this.below(3)) });
  }

  private open(identity: HostIdentity): void {
    const known = this.namespaces.find((each) => hostKey(each) === hostKey(identity));
    // The number of a namespace is used again only once the one that had it is gone.
    if (known) this.lose(known);
    const isHidden = this.below(4) === 0;
    this.namespaces.push({ ...identity, byPid: new Map(), isHidden, isReachable: true });
    this.start();
  }

  /** All of it ends at once, and nothing reports that. */
  private lose(namespace: SimNamespace): void {
    for (const process of namespace.byPid.values()) process.state = null;
    this.namespaces.splice(this.namespaces.indexOf(namespace), 1);
  }

  private start(pid = 1 + this.below(5)): void {
    const namespace = this.any(this.namespaces);
    if (!namespace || namespace.byPid.get(pid)?.state) return;
    this.ticks += 1;
    const { host, bootId, pidNamespace } = namespace;
    const identity = { host, bootId, pidNamespace, pid: String(pid) };
    const pod = `pod-${this.below(3)}`;
    if (this.pods.get(pod)?.state) return;
    const process = { ...identity, pidStart: String(this.ticks), state: 'S' as const, pod };
    namespace.byPid.set(pid, process);
    this.pods.set(pod, process);
    if (this.below(2) === 0) this.take(process);
  }

  private signal(process: SimProcess | undefined, before: 'S' | 'T', after: 'S' | 'T'): void {
    if (process?.state === before) process.state = after;
  }

  private end(process: SimProcess | undefined, state: 'Z' | null): void {
    if (process) process.state = state;
  }

  /** A process ends, and its id goes to another one. */
  private reuse(process: SimProcess | undefined): void {
    if (!process) return;
    process.state = null;
    this.start(Number(process.pid));
  }

  private take(process: SimProcess | undefined): void {
    if (process?.state !== 'S') return;
    const at = this.now;
    this.holds.push({ process, grantedAt: at, renewedAt: at, renewals: 0, reports: [] });
  }

  private renew(): void {
    const hold = this.any(this.holds);
    if (hold?.process.state !== 'S') return;
    hold.renewedAt = this.now;
    hold.renewals += 1;
  }

  /** A witness looks at what it is asked about. Its report may take a while to arrive. */
  private report(): void {
    const namespace = this.any(this.namespaces);
    if (!namespace?.isReachable) return;
    const kernel: Kernel = {
      stat: (pid) => this.stat(namespace, pid),
      exists: (pid) => Boolean(namespace.byPid.get(pid)?.state),
    };
    const asked = this.holds.filter(({ process }) => hostKey(process) === hostKey(namespace));
    const seen = asked.map(({ process: { pid, pidStart } }) =>
      lookAtProcess({ pid: Number(pid), pidStart }, kernel),
    );
    this.now += this.below(3_000);
    for (const { pid, pidStart, state, evidence } of seen) {
      const { host, bootId, pidNamespace } = namespace;
      const key = processKey({ host, bootId, pidNamespace, pid: String(pid), pidStart });
      for (const hold of this.holds) {
        if (processKey(hold.process) !== key) continue;
        this.file(hold, { kind: 'host', witness: host, state, evidence, since: null });
      }
    }
  }

  private stat({ byPid, isHidden }: SimNamespace, pid: number) {
    const process = byPid.get(pid);
    if (!process?.state || isHidden) return null;
    return { state: process.state, start: process.pidStart };
  }

  /** A URL says how each pod is now; pods keep their names when they are replaced. */
  private askPods(): void {
    const asked = [...this.holds];
    for (const hold of asked) {
      const process = this.pods.get(hold.process.pod);
      const isAlive = process?.state === 'S' || process?.state === 'T';
      const state = isAlive ? 'alive' : 'dead';
      this.file(hold, { kind: 'url', witness: 'pods', state, evidence: state, since: null });
    }
  }

  private file(hold: SimHold, said: Omit<WitnessReport, 'at' | 'firstAt'>): void {
    const last = hold.reports.find(({ kind, witness }) => {
      return kind === said.kind && witness === said.witness;
    });
    if (last?.state === 'dead') return;
    const firstAt = last?.state === said.state ? last.firstAt : this.now;
    hold.reports = hold.reports.filter((each) => each !== last);
    hold.reports.push({ ...said, firstAt, at: this.now });
  }

  private anyProcess(): SimProcess | undefined {
    const namespace = this.any(this.namespaces);
    return this.any([...(namespace?.byPid.values() ?? [])]);
  }

  private any<T>(all: readonly T[]): T | undefined {
    return all[this.below(all.length)];
  }

  private below(limit: number): number {
    return Math.floor(this.random() * limit);
  }
}

test(`no living process is called dead in ${CASES} random cases`, () => {
  const seed = newSeed();
  console.info(`seed ${seed}`);
  const random = seeded(seed);
  let deaths = 0;
  for (let i = 0; i < CASES; i += 1) {
    const world = new SimWorld(random);
    for (let step = 0; step < STEPS; step += 1) {
      world.step();
      expect(world.falseDeaths(), `seed ${seed}, case ${i}, step ${step}`).toEqual([]);
    }
    deaths += world.deaths;
  }
  expect(deaths, 'deaths that were found').toBeGreaterThan(CASES);
});
