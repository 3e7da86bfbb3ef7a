import { useCallback, useState } from 'react';

/** A head blocker's part of the page: its panel, and beside it what waits behind it. */
export interface Lane {
  /** The head blockers in it, by their ids: those whose waits hang together. */
  heads: string[];
  top: number;
  height: number;
}

type Heights = Readonly<Record<string, number>>;

/** Lanes one below the other, each as high as the higher of its panels and its drawing. */
export function useLanes(heads: readonly string[][]): {
  lanes: Lane[];
  /** How high the panel of a head blocker is at least, so that the lanes are level. */
  panelHeight: (id: string) => number;
  onPanel: (id: string, height: number) => void;
  onDrawn: (heights: Heights) => void;
} {
  const [panels, setPanels] = useState<Heights>({});
  const [drawn, setDrawn] = useState<Heights>({});
  const lanes: Lane[] = [];
  for (const ids of heads) {
    const own = ids.reduce((sum, id) => sum + (panels[id] ?? 0), 0);
    const { top, height } = lanes.at(-1) ?? { top: 0, height: 0 };
    lanes.push({ heads: ids, top: top + height, height: Math.max(own, drawn[ids[0] ?? ''] ?? 0) });
  }
  const panelHeight = (id: string) => {
    const lane = lanes.find((each) => each.heads.at(-1) === id);
    const others = lane?.heads.slice(0, -1) ?? [];
    return (lane?.height ?? 0) - others.reduce((sum, each) => sum + (panels[each] ?? 0), 0);
  };
  const onPanel = useCallback((id: string, height: number) => {
    setPanels((known) => (known[id] === height ? known : { ...known, [id]: height }));
  }, []);
  return { lanes, panelHeight, onPanel, onDrawn: setDrawn };
}
