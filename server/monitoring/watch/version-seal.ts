import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const CIPHER = 'aes-128-ecb';
const BLOCK_BYTES = 16;
const VERSION_AT = 8;

/**
 * Hides the versions in positions. They count the changes of all namespaces, of which the caller's
 * key may allow only some. The same version looks different each time, so that two positions do not
 * even reveal whether there was a change between them.
 */
export class VersionSeal {
  private readonly key = randomBytes(BLOCK_BYTES);
  // A sealed version is one block, and blocks do not affect each other: these two last for ever.
  private readonly cipher = createCipheriv(CIPHER, this.key, null).setAutoPadding(false);
  private readonly decipher = createDecipheriv(CIPHER, this.key, null).setAutoPadding(false);
  private sealed = 0;

  /** 22 letters, digits, `-` and `_`. */
  seal(version: number): string {
    this.sealed += 1;
    const block = Buffer.alloc(BLOCK_BYTES);
    // Every block has to be another one, which costs far less with a count than with random bytes.
    block.writeDoubleBE(this.sealed);
    block.writeDoubleBE(version, VERSION_AT);
    return this.cipher.update(block).toString('base64url');
  }

  /** The version; infinity for a text of that form that this process has not sealed. */
  open(sealed: string): number {
    const block = this.decipher.update(Buffer.from(sealed, 'base64url'));
    const count = block.readDoubleBE();
    const isOwn = Number.isInteger(count) && count > 0 && count <= this.sealed;
    return isOwn ? block.readDoubleBE(VERSION_AT) : Number.POSITIVE_INFINITY;
  }
}
