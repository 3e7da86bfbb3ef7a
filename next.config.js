/** @type {import('next').NextConfig} */
const nextConfig = {
  reactStrictMode: true,
  poweredByHeader: false,
  agentRules: false,
  images: { unoptimized: true },
  // `npm run check` checks types; a start should not pay for it again.
  typescript: { ignoreBuildErrors: process.env.SKIP_TYPECHECK === '1' },
  experimental: { agentUpgrade: false },
};

export default nextConfig;
