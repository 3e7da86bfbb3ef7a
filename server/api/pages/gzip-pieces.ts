import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';

/** A text that is compressed once and then inserted between others. */
export interface GzipPiece {
  /** Whole deflate blocks without references to data outside them. */
  blocks: Buffer;
  crc: number;
  /** In bytes, before compression. */
  length: number;
  /** The factor that moves the checksum of everything before this piece past it. */
  shift: number;
}

const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
const LAST_BLOCK = Buffer.from([3, 0]);
const BLOCK_HEADER_BYTES = 5;

/** Compresses a part that is the same in every answer. */
export async function gzipPiece(text: Buffer): Promise<GzipPiece> {
  const how = { level: 9, finishFlush: constants.Z_FULL_FLUSH };
  return pieceOf(text, await promisify(deflateRaw)(text, how));
}

/** Stores a short part without compression; less than 64 KB. */
export function plainPiece(text: Buffer): GzipPiece {
  const header = Buffer.alloc(BLOCK_HEADER_BYTES);
  header.writeUInt16LE(text.length, 1);
  header.writeUInt16LE(text.length ^ 0xffff, 3);
  return pieceOf(text, Buffer.concat([header, text]));
}

/** The gzip file of all pieces in order, as buffers to send one after another. */
export function gzipOf(pieces: GzipPiece[]): Buffer[] {
  const end = Buffer.alloc(8);
  const crc = pieces.reduce(
    (before, piece) => (multiply(piece.shift, before) ^ piece.crc) >>> 0,
    0,
  );
  end.writeUInt32LE(crc, 0);
  end.writeUInt32LE(
    pieces.reduce((sum, { length }) => sum + length, 0),
    4,
  );
  return [HEADER, ...pieces.map(({ blocks }) => blocks), LAST_BLOCK, end];
}

function pieceOf(text: Buffer, blocks: Buffer): GzipPiece {
  return { blocks, crc: crc32(text), length: text.length, shift: shiftOf(text.length) };
}

/** The polynomial of the checksum, lowest power first, as in zlib. */
const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;
const X = 0x40000000;

/** The product of two polynomials over GF(2), modulo that of the checksum. */
function multiply(a: number, b: number): number {
  let product = 0;
  let factor = b;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= factor;
    factor = (factor & 1) === 0 ? factor >>> 1 : (factor >>> 1) ^ POLYNOMIAL;
  }
  return product >>> 0;
}

/** x to the power of the number of bits in this many bytes. */
function shiftOf(bytes: number): number {
  let power = ONE;
  let square = X;
  for (let rest = bytes * 8; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) power = multiply(square, power);
    square = multiply(square, square);
  }
  return power;
}
