import { useCallback, useState } from 'react';

/** A head blocker's part of the page: its panel, and beside it what waits behind it. */
export interface Band {
  /** The head blockers in it, by their ids: those whose waits are connected. */
  heads: string[];
  top: number;
  height: number;
}

type Heights = Readonly<Record<string, number>>;

/** Lanes one below the other, each as high as the higher of its panels and its drawing. */
export function useBands(heads: readonly string[][]): {
  bands: Band[];
  /** How high the panel of a head blocker is at least, so that the bands are level. */
  panelHeight: (id: string) => number;
  onPanel: (id: string, height: number) => void;
  onDrawn: (heights: Heights) => void;
} {
  const [panels, setPanels] = useState<Heights>({});
  const [drawn, setDrawn] = useState<Heights>({});
  const bands: Band[] = [];
  for (const ids of heads) {
    const own = ids.reduce((sum, id) => sum + (panels[id] ?? 0), 0);
    const { top, height } = bands.at(-1) ?? { top: 0, height: 0 };
    bands.push({ heads: ids, top: top + height, height: Math.max(own, drawn[ids[0] ?? ''] ?? 0) });
  }
  const panelHeight = (id: string) => {
    const band = bands.find((each) => each.heads.at(-1) === id);
    const others = band?.heads.slice(0, -1) ?? [];
    return (band?.height ?? 0) - others.reduce((sum, each) => sum + (panels[each] ?? 0), 0);
  };
  const onPanel = useCallback((id: string, height: number) => {
    setPanels((known) => (known[id] === height ? known : { ...known, [id]: height }));
  }, []);
  return { bands, panelHeight, onPanel, onDrawn: setDrawn };
}
