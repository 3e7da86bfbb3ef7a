/** A program of the demo fleet, and the namespaces to which its API key needs access. */
export interface DemoService {
  name: string;
  namespaces: string[];
}

/** A namespace of the demo fleet. */
export interface DemoNamespace {
  name: string;
  /** The differences from the default policy. */
  policy?: { lockDelayMs?: number; stuckAfterMs?: number; standbyExpected?: boolean };
}

/** Every namespace that the demo fleet uses. */
export const DEMO_NAMESPACES: DemoNamespace[] = [
  { name: 'shop' },
  { name: 'billing' },
  /**
   * A settlement that lost its holder is left alone for a while before the next one continues it.
   */
  { name: 'payments', policy: { lockDelayMs: 20_000 } },
  /** No job here should take over a minute, so one that does is soon noticed. */
  { name: 'platform', policy: { stuckAfterMs: 60_000 } },
  /** Every leader always has others waiting. */
  { name: 'leaders', policy: { standbyExpected: true } },
];

/** Every service of the demo fleet; each has an API key of its own. */
export const DEMO_SERVICES: DemoService[] = [
  { name: 'orders', namespaces: ['shop'] },
  { name: 'inventory', namespaces: ['shop'] },
  { name: 'shipping', namespaces: ['shop'] },
  { name: 'search', namespaces: ['shop', 'leaders'] },
  { name: 'pricing', namespaces: ['shop'] },
  { name: 'tickets', namespaces: ['shop'] },
  { name: 'billing', namespaces: ['billing'] },
  { name: 'payments', namespaces: ['payments'] },
  { name: 'media', namespaces: ['platform'] },
  { name: 'mailer', namespaces: ['platform', 'leaders'] },
  { name: 'analytics', namespaces: ['platform', 'leaders'] },
  { name: 'cron', namespaces: ['platform', 'billing', 'leaders'] },
];

/** The name of the key with which the fleet reports which of its processes are alive. */
export const DEMO_WITNESS = 'demo-host';

/** A lock that an operator froze at the start, with workers waiting for it. */
export const DEMO_FREEZE = {
  namespace: 'shop',
  name: 'orders:reindex:shard-2',
  reason: 'Index is being repaired manually until tonight.',
};
