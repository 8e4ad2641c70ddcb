import type { Links } from './links.ts'

/** The search field of the bar: it searches the texts of all changes. */
export function BarSearch({ links, search }: { links: Links; search: string }) {
  return (
    <form class="bar-search" role="search" action={links.history()}>
      <input
        type="search"
        name="q"
        value={search}
        placeholder="Search changes"
        aria-label="Search changes"
      />
    </form>
  )
}
