import { type Finding, lengthOf, ok, warning } from './finding';

export interface GateFacts {
  /** The ids of the gates that this server has. */
  configured: readonly string[];
  /** Namespaces whose policies name a gate. */
  wanted: { namespace: string; gate: string }[];
  /** Gates that this server has used: one for each backend behind a gate. */
  used: { gate: string; backend: string; isUp: boolean; readyInMs: number }[];
}

const PAGE = 'docs/gate.md';

/** How each gate in front of counters responds, and which ones are missing. */
export function gateFindings({ configured, wanted, used }: GateFacts): Finding[] {
  const missing = new Set(wanted.map(({ gate }) => gate).filter((id) => !configured.includes(id)));
  const idle = configured.filter((id) => !used.some(({ gate }) => gate === id));
  return [
    ...[...missing].map((id) => {
      const names = wanted.filter(({ gate }) => gate === id).map(({ namespace }) => namespace);
      const says = `this server lacks it: counters of ${names.join(', ')} work without a gate`;
      return warning(`gate ${id}`, says, `Set LOCKYARD_GATE_${id.toUpperCase()}: see ${PAGE}.`);
    }),
    ...used.map(usedFinding),
    ...idle.map((id) => ok(`gate ${id}`, 'not used since this server started')),
  ];
}

function usedFinding({ gate, backend, isUp, readyInMs }: GateFacts['used'][number]): Finding {
  const subject = `gate ${gate}`;
  if (!isUp) {
    const says = `does not respond: every counter step goes to backend ${backend}`;
    return warning(subject, says, `Check its Redis, address, password and firewall: see ${PAGE}.`);
  }
  if (readyInMs > 0) {
    const says = `was wiped or restarted: it refuses nothing for ${lengthOf(readyInMs)}`;
    return warning(subject, says, `Wait; if this repeats, look at its Redis: see ${PAGE}.`);
  }
  return ok(subject, `responds, in front of backend ${backend}`);
}
