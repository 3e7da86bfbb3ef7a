import type { CounterRow } from '@/server/contract/console/counter-row';

/** Whether a row has a checkbox: a deletion takes names one a line. The server decides the rest. */
export const maySelect = ({ name }: CounterRow): boolean => !name.includes('\n');
