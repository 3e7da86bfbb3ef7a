/** The same object with some of its methods replaced, for callers that are given this one. */
export function interpose<T extends object>(
  target: T,
  replaced: { [Name in keyof T]?: (...args: never[]) => unknown },
): T {
  return new Proxy(target, {
    get(_, name) {
      const own = (replaced as Record<PropertyKey, unknown>)[name];
      const value = own ?? Reflect.get(target, name);
      return typeof value === 'function' && !own ? value.bind(target) : value;
    },
  });
}
