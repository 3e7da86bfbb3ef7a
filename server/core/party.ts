/** The owner of a hold or of a place in a queue. Two services may use one owner name. */
export interface Party {
  service: string;
  owner: string;
}

export function isSameParty(one: Party, other: Party): boolean {
  return one.service === other.service && one.owner === other.owner;
}

/** A key that no other party has: the name of a service contains no line break. */
export function partyKey({ service, owner }: Party): string {
  return `${service}\n${owner}`;
}
