/** A program of the demo fleet, and the namespaces that its API key must be good for. */
export interface DemoService {
  name: string;
  namespaces: string[];
}

/** A namespace of the demo fleet. */
export interface DemoNamespace {
  name: string;
  /** Where it differs from the default policy. */
  policy?: { lockDelayMs?: number; stuckAfterMs?: number; standbyExpected?: boolean };
}

/** Every namespace that the demo fleet uses. */
export const DEMO_NAMESPACES: DemoNamespace[] = [
  { name: 'shop' },
  { name: 'billing' },
  /** A settlement that lost its holder rests before the next one goes on with it. */
  { name: 'payments', policy: { lockDelayMs: 20_000 } },
  /** No job here takes over a minute, so that one which does is soon noticed. */
  { name: 'platform', policy: { stuckAfterMs: 60_000 } },
  /** Who leads has others that wait all the time. */
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

/** The name of the key with which the fleet tells which of its processes live. */
export const DEMO_WITNESS = 'demo-host';

/** A lock that an operator has frozen before anybody looks, with workers who wait for it. */
export const DEMO_FREEZE = {
  namespace: 'shop',
  name: 'orders:reindex:shard-2',
  reason: 'Index is being repaired manually until tonight.',
};
