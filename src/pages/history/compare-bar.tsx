import type { HistoryPage } from './history-page.ts'
import { chosenOf } from './history-table.tsx'

/** The chosen comparison, at the foot of the window. `enhance.js` keeps its text up to date. */
export function CompareBar({ page }: { page: HistoryPage }) {
  const { a, b } = chosenOf(page)
  const between = page.rows.filter(({ revision }) => revision.number > a && revision.number <= b)
  const people = new Set(between.map(({ revision }) => revision.username)).size
  return (
    <div class="compare-bar">
      <p>
        <b id="chosen">{`r${a} → r${b}`}</b>{' '}
        <span id="chosen-text" class="muted" aria-live="polite">
          {`${b - a} ${b - a === 1 ? 'revision' : 'revisions'}`}
          {people > 0 && ` by ${people} ${people === 1 ? 'person' : 'people'}`}
        </span>
      </p>
      <p class="muted hint" aria-hidden="true">
        <kbd>j</kbd> <kbd>k</kbd> move, <kbd>a</kbd> <kbd>b</kbd> mark, <kbd>c</kbd> compare
      </p>
      <button class="primary">Compare</button>
    </div>
  )
}
