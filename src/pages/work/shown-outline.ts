import type { OutlineEntry } from '../../document/entities/outline.ts'

/** A place in a document that the outline of a page lists. */
export interface ShownPlace extends Omit<OutlineEntry, 'children'> {
  /** How many places are inside, of which `children` lists some or all. */
  readonly count: number
  readonly children: readonly ShownPlace[]
}

/** The lines of a document that a page shows, from 1. */
export interface ShownLines {
  readonly first: number
  readonly last: number
}

/** With more entries, stages are only listed for pipelines on the page. */
const MAX_ENTRIES = 1200
/** With more members, a group only lists those on the page. */
const MAX_MEMBERS = 2500

/** The entries in the outline of a page: for a large document, few beside those on the page. */
export function shownOutline(outline: readonly OutlineEntry[], page: ShownLines): ShownPlace[] {
  const isLarge = sizeOf(outline) > MAX_ENTRIES
  const isHuge = membersOf(outline) > MAX_MEMBERS
  const isOnPage = ({ first, last }: OutlineEntry) => last >= page.first && first <= page.last
  const listed = (entry: OutlineEntry, isListed: (child: OutlineEntry) => boolean): ShownPlace => ({
    ...entry,
    count: entry.children.length,
    children: entry.children
      .filter(isListed)
      .map((child) => listed(child, () => !isLarge || isOnPage(child))),
  })
  return outline.map((entry) => listed(entry, (child) => !isHuge || isOnPage(child)))
}

/** How many places are directly in those on top. */
function membersOf(outline: readonly Pick<OutlineEntry, 'children'>[]): number {
  return outline.reduce((sum, { children }) => sum + children.length, 0)
}

function sizeOf(entries: readonly OutlineEntry[]): number {
  return entries.reduce((sum, { children }) => sum + 1 + sizeOf(children), 0)
}
