/** How many entries a signal stores for its listeners and the signals that follow it. */
export function storedBySignal(signal: AbortSignal): number {
  const fields = Object.getOwnPropertySymbols(signal).map((symbol) => Reflect.get(signal, symbol));
  return fields.reduce((sum, field) => sum + Number(field?.size ?? 0), 0);
}
