/**
 * How many questions of one service a witness is asked at most. With more, reports would be old
 * before the next ones come, and a service could cause ever more work.
 */
const SERVICE_QUESTIONS_MAX = 10_000;

/** A question on which a witness may report. */
export interface Question {
  /** Whose hold it is about. */
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
    const some = byService.get(question.service) ?? [];
    if (some.length === 0) byService.set(question.service, some);
    if (some.length < SERVICE_QUESTIONS_MAX) some.push(question);
  }
  const inOrder = [...byService.values()].flatMap((some) =>
    some.sort((a, b) => a.at - b.at).map((question, turn) => ({ question, turn })),
  );
  return inOrder
    .sort((a, b) => a.turn - b.turn || a.question.at - b.question.at)
    .map(({ question }) => question);
}
