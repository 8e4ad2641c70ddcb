import type { Links } from '../kit/links.ts'
import type { SearchGroup, SearchHit } from './search.ts'

interface Place extends SearchHit {
  /** Other words that people look for it by. */
  readonly words?: string
  readonly isForAdministrators?: true
}

const ADMIN = { isForAdministrators: true } as const

function placesOf(links: Links): readonly Place[] {
  return [
    { title: 'Pipelines', detail: 'g p', href: links.pipelines(), words: 'builds runs' },
    { title: 'Agents', detail: 'g a', href: links.agents(), words: 'machines' },
    { title: 'History', detail: 'g h', href: links.history(), words: 'revisions log', ...ADMIN },
    { title: 'Current config', detail: 'g c', href: links.current(), words: 'xml file', ...ADMIN },
    { title: 'Edit configuration', detail: 'Action', href: links.edit(), ...ADMIN },
    {
      title: 'New pipeline',
      detail: 'Action',
      href: links.newPipeline(),
      words: 'create add',
      ...ADMIN,
    },
    {
      title: 'Invite an agent',
      detail: 'Action',
      href: links.invitations(),
      words: 'add',
      ...ADMIN,
    },
    { title: 'Users', detail: 'g u', href: links.users(), words: 'people accounts', ...ADMIN },
    {
      title: 'Permissions',
      detail: '',
      href: links.permissions(),
      words: 'roles rights who may',
      ...ADMIN,
    },
    { title: 'Audit', detail: 'g l', href: links.audit(), words: 'log', ...ADMIN },
    { title: 'Problems', detail: '', href: links.problems(), words: 'health' },
    { title: 'Proposals', detail: '', href: links.proposals(), words: 'review approve' },
    {
      title: 'Maintenance',
      detail: '',
      href: links.maintenance(),
      words: 'read only',
      ...ADMIN,
    },
    { title: 'My tokens', detail: '', href: links.tokens(), words: 'bearer' },
    { title: 'My account', detail: '', href: links.account(), words: 'password sessions' },
    { title: 'API', detail: '', href: links.api(), words: 'openapi' },
  ]
}

/** The pages and actions with a text in their names; all of them for an empty one. */
export function pagesNamed(
  links: Links,
  { wanted, isAdministrator }: { readonly wanted: string; readonly isAdministrator: boolean },
): SearchGroup {
  const lower = wanted.trim().toLowerCase()
  const found = placesOf(links)
    .filter(({ isForAdministrators }) => isAdministrator || isForAdministrators !== true)
    .filter(({ title, words = '' }) => `${title} ${words}`.toLowerCase().includes(lower))
  const hits = found.map(({ title, detail, href }) => ({ title, detail, href }))
  return { title: 'Pages and actions', count: hits.length, hits, all: null }
}
