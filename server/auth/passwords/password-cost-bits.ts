/** How hard scrypt works on a password that is set now, as a power of two: 64 MB and about 0.2 s each. */
export const PASSWORD_COST_BITS = 16;
