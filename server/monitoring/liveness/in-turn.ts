/**
 * The most questions of one service that a witness is asked. With more, reports would be old before
 * the next ones arrive, and a service could cause ever more work.
 */
const SERVICE_QUESTIONS_MAX = 10_000;

/** A question that a witness is asked. */
export interface Question {
  /** The service whose hold it is about. */
  service: string;
  /** When the witness last reported on it; 0: never. */
  at: number;
}

/**
 * Orders questions to a witness, those that have waited longest first. Services take turns, so that
 * one which names very many processes delays no other.
 */
export function inTurn<Q extends Question>(questions: Iterable<Q>): Q[] {
  const byService = new Map<string, Q[]>();
  for (const question of questions) {
    const queue = byService.get(question.service) ?? [];
    if (queue.length === 0) byService.set(question.service, queue);
    if (queue.length < SERVICE_QUESTIONS_MAX) queue.push(question);
  }
  const inOrder = [...byService.values()].flatMap((queue) =>
    queue.sort((a, b) => a.at - b.at).map((question, turn) => ({ question, turn })),
  );
  return inOrder
    .sort((a, b) => a.turn - b.turn || a.question.at - b.question.at)
    .map(({ question }) => question);
}
