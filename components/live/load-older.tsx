import { Button } from '../ui/controls/button';

/** The foot of a panel that has older rows: a button that reads the next page. */
export function LoadOlder({ isLoading, onLoad }: { isLoading: boolean; onLoad: () => void }) {
  return (
    <div className="border-line border-t px-2 py-1.5">
      <Button tone="quiet" size="small" disabled={isLoading} onClick={onLoad}>
        {isLoading ? 'Loading…' : 'Load older'}
      </Button>
    </div>
  );
}
