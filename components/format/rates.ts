import { countText } from './counts';

/** How often something happens in a second, without its unit: 0.02, 0.4, 842, 12.4 k. */
export function rateText(perSecond: number): string {
  if (perSecond <= 0) return '0';
  if (perSecond < 0.01) return '<\u202f0.01';
  if (perSecond < 0.1) return perSecond.toFixed(2);
  if (perSecond < 10) return perSecond.toFixed(1);
  return countText(Math.round(perSecond));
}
