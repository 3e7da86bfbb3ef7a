/** The cost of scrypt for new passwords, as a power of two: 64 MB and about 0.2 s for each hash. */
export const PASSWORD_COST_BITS = 16;
