/** An entry of a circular doubly linked list. Outside a list it is linked to itself. */
export class Linked {
  before: Linked = this;
  after: Linked = this;

  linkBefore(next: Linked): void {
    this.before = next.before;
    this.after = next;
    next.before.after = this;
    next.before = this;
  }

  unlink(): void {
    this.before.after = this.after;
    this.after.before = this.before;
    this.before = this;
    this.after = this;
  }
}
