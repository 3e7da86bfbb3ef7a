/**
 * About how many entries of the audit log one query reads at most where it looks for few among
 * many: SQLite reads on the event loop, and MySQL would take longer than a query may.
 */
export const AUDIT_STEP = { sqlite: 500, mysql: 10_000 };
