import type { LockRecord } from '@/server/core/lock/lock-record';
import type { Flaws } from './sim-world';

function withoutBlocks(record: LockRecord): LockRecord {
  const holds = record.holds.map((hold) => ({ ...hold, renewalsStopped: null }));
  return { ...record, holds };
}

/** Builds that are broken in how operators ask for a lock. */
export const RELEASE_REQUEST_BUILDS: Record<string, Flaws> = {
  'a renewal that an operator has blocked, and that extends the lease': {
    locks: (decide) => (record, command, context) => {
      if (command.verb !== 'renew' || !record) return decide(record, command, context);
      const decision = decide(withoutBlocks(record), command, context);
      if (!decision.next) return decision;
      const blocked = new Map(record.holds.map((hold) => [hold.token, hold.renewalsStopped]));
      const holds = decision.next.holds.map((hold) => ({
        ...hold,
        renewalsStopped: blocked.get(hold.token) ?? null,
      }));
      return { ...decision, next: { ...decision.next, holds } };
    },
  },
  'a renewal after which the request of an operator is forgotten': {
    locks: (decide) => (record, command, context) => {
      const decision = decide(record, command, context);
      if (command.verb !== 'renew' || !decision.next) return decision;
      const holds = decision.next.holds.map((hold) => ({ ...hold, askedToRelease: null }));
      return { ...decision, next: { ...decision.next, holds } };
    },
  },
  'a renewal whose answer omits what an operator asks for': {
    locks: (decide) => (record, command, context) => {
      const decision = decide(record, command, context);
      if (command.verb !== 'renew') return decision;
      const { askedToRelease: _, ...answer } = decision.answer as { askedToRelease?: unknown };
      return { ...decision, answer };
    },
  },
  'a request to release that the next holder gets as well': {
    locks: (decide) => (record, command, context) => {
      const decision = decide(record, command, context);
      const asked = record?.holds[0]?.askedToRelease;
      if (!asked || !decision.next) return decision;
      const holds = decision.next.holds.map((hold) => ({ ...hold, askedToRelease: asked }));
      return { ...decision, next: { ...decision.next, holds } };
    },
  },
  'a request to release that finds no hold': {
    locks: (decide) => (record, command, context) => {
      const isRequest = command.verb === 'askRelease' || command.verb === 'stopRenewals';
      return decide(
        record,
        isRequest ? { ...command, token: command.token + 1 } : command,
        context,
      );
    },
  },
  'a request to release that goes to the hold of the moment': {
    locks: (decide) => (record, command, context) => {
      const [hold] = record?.holds ?? [];
      const isRequest = command.verb === 'askRelease' || command.verb === 'stopRenewals';
      if (!isRequest || !hold) return decide(record, command, context);
      return decide(record, { ...command, token: hold.token }, context);
    },
  },
};
