import { MissingPage } from '@/components/navigation/missing-page';

export default function NotFound() {
  return <MissingPage />;
}
