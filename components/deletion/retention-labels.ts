import type { RetentionReason } from '@/server/core/names/deletion';

/** What keeps a record from being deleted, after “kept:”. */
export const RETENTION_LABELS: Record<RetentionReason, string> = {
  held: 'held',
  waitedFor: 'waited for',
  frozen: 'frozen',
  delayed: 'in a lock-delay',
  lostLately: 'its hold was lost less than an hour ago',
  answersKept: 'an answer to a request is still remembered',
  tokensAhead: 'a new one could repeat its tokens; used in the last 10 minutes, or very often',
  unreadable: 'its record cannot be read',
};
