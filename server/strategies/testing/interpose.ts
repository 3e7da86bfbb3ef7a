/** A proxy of the object with some of its methods replaced; the object itself stays unchanged. */
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
