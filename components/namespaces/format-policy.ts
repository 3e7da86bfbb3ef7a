import type { NamespacePolicy } from '@/server/contract/namespace-policy';
import { policyBounds } from './policy-bounds';

/** A policy in one line. */
export const formatPolicy = (policy: NamespacePolicy): string =>
  policyBounds(policy)
    .map(({ words }) => words)
    .join(' · ');
