/** A program of the demo fleet, and the namespaces that its API key must be good for. */
export interface DemoService {
  name: string;
  namespaces: string[];
}

/** Every namespace that the demo fleet uses. */
export const DEMO_NAMESPACES = ['shop', 'billing', 'platform'];

/** Every service of the demo fleet; each has an API key of its own. */
export const DEMO_SERVICES: DemoService[] = [
  { name: 'orders', namespaces: ['shop'] },
  { name: 'inventory', namespaces: ['shop'] },
  { name: 'shipping', namespaces: ['shop'] },
  { name: 'billing', namespaces: ['billing'] },
  { name: 'media', namespaces: ['platform'] },
  { name: 'cron', namespaces: ['platform', 'billing'] },
];
