import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

/** Addresses and networks of IPv4 and IPv6. */
export class NetworkList {
  readonly #list = new BlockList();
  /** Nearly every request has the same peer as the previous one. */
  #last: { address: string; isListed: boolean } | null = null;

  private constructor(
    /** As written, without spaces. */
    readonly texts: readonly string[],
  ) {}

  /**
   * Reads addresses and networks such as `10.0.0.0/8` or `fd00::/8`, separated by commas.
   *
   * @returns what is wrong with the first invalid one, as the end of a sentence, if there is one
   */
  static parse(text: string): NetworkList | string {
    const texts = text
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '');
    const networks = new NetworkList(texts);
    for (const each of texts) {
      if (!networks.#add(each)) {
        return `names "${each}", which is neither an address nor a network such as 10.0.0.0/8`;
      }
    }
    return networks;
  }

  /** Whether an address is in one of the networks. False for a text that is not an address. */
  has(address: string): boolean {
    if (this.#last?.address === address) return this.#last.isListed;
    const plain = plainAddress(address);
    const isListed = isIP(plain) !== 0 && this.#list.check(plain, familyOf(plain));
    this.#last = { address, isListed };
    return isListed;
  }

  #add(text: string): boolean {
    const [address = '', bits, ...rest] = text.split('/');
    if (isIP(address) === 0 || address.includes('%') || rest.length > 0) return false;
    const family = familyOf(address);
    if (bits === undefined) {
      const plain = plainAddress(address);
      this.#list.addAddress(plain, familyOf(plain));
      return true;
    }
    if (!/^\d{1,3}$/.test(bits) || Number(bits) > (family === 'ipv4' ? 32 : 128)) return false;
    this.#list.addSubnet(address, Number(bits), family);
    return true;
  }
}

const familyOf = (address: string) => (isIPv4(address) ? 'ipv4' : 'ipv6');

/** An address without its interface; an IPv4 address that is mapped to IPv6 as plain IPv4. */
export function plainAddress(address: string): string {
  const plain = address.split('%', 1)[0] ?? '';
  return isIPv6(plain) ? (mappedAddress(plain) ?? plain) : plain;
}

/** The IPv4 address that is mapped to an IPv6 one (RFC 4291, 2.5.5.2), in any notation. */
function mappedAddress(address: string): string | null {
  if (/^::ffff:[\d.]+$/i.test(address)) return address.slice('::ffff:'.length);
  if (!/:ffff:/i.test(address)) return null;
  // The URL parser normalises all notations of an address.
  const { hostname } = new URL(`http://[${address}]`);
  const [, high, low] = /^\[::ffff:([\da-f]+):([\da-f]+)\]$/.exec(hostname) ?? [];
  if (high === undefined || low === undefined) return null;
  const groups = [high, low].map((group) => Number.parseInt(group, 16));
  return groups.flatMap((group) => [group >> 8, group & 0xff]).join('.');
}

/** Whether an address is this machine's own. */
export function isLoopback(address: string): boolean {
  const plain = plainAddress(address);
  return plain === '::1' || (isIPv4(plain) && plain.startsWith('127.'));
}

/** Whether an address or the name of a host can be reached from other machines. */
export function isBeyondThisMachine(host: string): boolean {
  return host !== 'localhost' && !isLoopback(host);
}

/** What one customer of a network usually has: one IPv4 address, or an IPv6 /64. */
export function networkOf(address: string): string {
  const plain = plainAddress(address);
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('::');
  const before = head.split(':').filter(Boolean);
  const after = (tail ?? '').split(':').filter(Boolean);
  const missing = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array<string>(missing).fill('0'), ...after]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
