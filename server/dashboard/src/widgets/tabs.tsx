// SPDX-License-Identifier: BSD-3-Clause
/** Tabs as WAI-ARIA has them: arrows move between them, Tab leaves them. */
export function Tabs(props: {
  label: string;
  tabs: Record<string, string>;
  chosen: string;
  choose: (key: string) => void;
}) {
  const keys = Object.keys(props.tabs);
  const move = (event: KeyboardEvent) => {
    const at = keys.indexOf(props.chosen);
    const steps: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: keys.length - 1 };
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = keys[(to + keys.length) % keys.length]!;
    props.choose(next);
    const list = event.currentTarget as HTMLElement;
    requestAnimationFrame(() => list.querySelector<HTMLElement>(`[data-tab="${next}"]`)?.focus());
  };
  return (
    <div class="tabs" role="tablist" aria-label={props.label} onKeyDown={move}>
      {keys.map((key) => (
        <button
          key={key}
          type="button"
          role="tab"
          data-tab={key}
          aria-selected={key === props.chosen}
          tabIndex={key === props.chosen ? 0 : -1}
          onClick={() => props.choose(key)}
        >
          {props.tabs[key]}
        </button>
      ))}
    </div>
  );
}
