import { type StoreKind, storesUnderTest } from '../testing/stores-under-test';
import { openLeastPrivilegedMysql } from './least-privileged-mysql';

/**
 * Every store that is put to the contract: one of each kind, and one for each way to set it up that might change what it
 * can do. What a kind cannot do it leaves out of its capabilities; there are no skips.
 */
export const contractStores: Record<string, StoreKind> = {
  ...storesUnderTest,
  'mysql, least privileges': { ...storesUnderTest.mysql, open: openLeastPrivilegedMysql },
};
