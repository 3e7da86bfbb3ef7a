import type { RunSql } from '../database';

/** Runs statements on SQLite, and records the plan of each, one line per step. */
export function queryPlans(run: RunSql): { ask: RunSql; plans: string[] } {
  const plans: string[] = [];
  const ask: RunSql = async (sql, values) => {
    const { rows } = await run(`EXPLAIN QUERY PLAN ${sql}`, values);
    plans.push(rows.map(([, , , step]) => String(step)).join('\n'));
    return run(sql, values);
  };
  return { ask, plans };
}
