/** A start that cannot succeed, said in one line for the person who started it. Names no secret. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
}
