import type { Principal } from '../../core/principal.ts'
import type { EntityPlace } from '../../document/edit/entity-edits.ts'
import type { PageContext } from './page-context.ts'

/** A page that a caller may see in place of one that is refused. */
export interface OwnView {
  readonly href: string
  readonly text: string
}

const COMPARISON = /^\/config\/compare\/([^/%]+)\/([^/%]+?)(?:\.patch|\/reveal)?$/
const SNAPSHOT = /^\/config\/(r\d+|[0-9a-f]{32,64})(?:\/|$)/

/** The pages about the same as a refused one, of each group and template that the caller administers. */
export function ownViews(
  pages: Pick<PageContext, 'administeredBy' | 'links'>,
  { principal, path }: { readonly principal: Principal; readonly path: string },
): readonly OwnView[] {
  const { links } = pages
  const { groups, templates } = pages.administeredBy(principal)
  const parts = [
    ...groups.map((name) => ({ kind: 'group', name })),
    ...templates.map((name) => ({ kind: 'template', name })),
  ]
  return parts.map((part) => viewOf(links, part, path))
}

function viewOf(links: PageContext['links'], part: EntityPlace, path: string): OwnView {
  const what = `${part.kind} ${part.name}`
  const [, from, to] = COMPARISON.exec(path) ?? []
  if (from !== undefined && to !== undefined) {
    const href = links.compareEntity(part, { from, to })
    return { href, text: `Changes to ${what} from ${from} to ${to}` }
  }
  const [, revision] = SNAPSHOT.exec(path) ?? []
  if (revision !== undefined) {
    const href = links.compareEntity(part, { from: revision, to: 'current' })
    return { href, text: `Changes to ${what} since ${revision}` }
  }
  if (path.startsWith('/config/edit')) return { href: links.form(part), text: `Edit ${what}` }
  return { href: links.entity(part.kind, part.name), text: `History of ${what}` }
}
