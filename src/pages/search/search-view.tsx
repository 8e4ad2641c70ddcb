import { IndexingNotice } from '../parts/indexing-notice.tsx'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import type { Links } from '../kit/links.ts'
import { EmptyCard } from '../kit/notice.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { Moment } from '../kit/when.tsx'
import { StateAway } from '../frame/page-state.tsx'
import { AGENTS_AWAY, type SearchGroup, type SearchResult } from './search.ts'

export interface SearchViewProps {
  readonly frame: PageFrame
  readonly text: string
  readonly result: SearchResult
}

/** The results of a search by kind. */
export function SearchView({ frame, text, result }: SearchViewProps) {
  const { groups, indexing, hasAgents } = result
  return (
    <PageLayout
      frame={frame}
      title={text === '' ? 'Search' : `Search: ${text}`}
      description="Pipelines, agents, revisions, people and texts of the history."
      styles={['search.css']}
      search={text}
    >
      <PageHead title="Search">
        <SearchForm links={frame.links} text={text} />
      </PageHead>
      {indexing && <IndexingNotice progress={indexing} />}
      {!hasAgents && <StateAway what={AGENTS_AWAY} />}
      {groups.map((group, n) => (
        <Group group={group} id={`found-${n}`} />
      ))}
      {groups.length === 0 && <Nothing text={text} isAdministrator={frame.isAdministrator} />}
    </PageLayout>
  )
}

/** The field of the page, as narrow windows have none in the bar. */
function SearchForm({ links, text }: { links: Links; text: string }) {
  return (
    <form class="actions page-search" action={links.search()}>
      <input type="search" name="q" value={text} maxlength={1000} aria-label="Search for" />
      <button>Search</button>
    </form>
  )
}

function Group({ group: { title, count, hits, all }, id }: { group: SearchGroup; id: string }) {
  return (
    <section class="card found" aria-labelledby={id}>
      <h2 id={id}>
        {title} <span class="badge">{count}</span>
      </h2>
      <ul>
        {hits.map((hit) => (
          <li>
            <a href={hit.href}>{hit.title}</a>{' '}
            <span class="muted">
              {hit.detail}
              {hit.time !== undefined && (
                <>
                  {', '}
                  <Moment time={hit.time} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
      {all !== null && count > hits.length && <a href={all}>{`Show all ${count}`}</a>}
    </section>
  )
}

function Nothing({ text, isAdministrator }: { text: string; isAdministrator: boolean }) {
  return (
    <EmptyCard title={text === '' ? 'What you can search for' : 'Nothing found'}>
      {isAdministrator
        ? 'The search finds pipelines, groups and agents by name; revisions by number, digest, commit or date; people; descriptions of changes; and any text added to the configuration or removed from it (case-sensitive).'
        : 'The search finds agents, and pipelines and groups that you can view, by name.'}
    </EmptyCard>
  )
}
