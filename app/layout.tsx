import '@fontsource-variable/hanken-grotesk/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './globals.css';
import type { Metadata, Viewport } from 'next';
import { headers } from 'next/headers';
import type { ReactNode } from 'react';
import { THEME_SCRIPT } from '@/components/shell/theme-script';

export const metadata: Metadata = {
  title: { default: 'Lockyard', template: '%s · Lockyard' },
  description: 'A distributed lock service with a console for operators.',
  robots: { index: false, follow: false },
};

export const viewport: Viewport = {
  colorScheme: 'light dark',
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#fefefd' },
    { media: '(prefers-color-scheme: dark)', color: '#12181a' },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  const policy = (await headers()).get('content-security-policy') ?? '';
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1];
  return (
    // The theme script changes the element before React sees it.
    <html lang="en" suppressHydrationWarning>
      <head>
        <script
          nonce={nonce}
          // biome-ignore lint/security/noDangerouslySetInnerHtml: constant, runs before first paint
          dangerouslySetInnerHTML={{ __html: THEME_SCRIPT }}
          suppressHydrationWarning
        />
      </head>
      <body>{children}</body>
    </html>
  );
}
