import type { Metadata } from 'next';

export const metadata: Metadata = { title: 'Plan a day', icons: { icon: 'data:,' } };

export default function RootLayout({ children }: LayoutProps<'/'>) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
