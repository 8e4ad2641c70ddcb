import type { EntityPlace } from '../../../document/edit/entity-edits.ts'

/** A revision and the one upon which it came, by their numbers. */
export interface RevisionStep {
  readonly number: number
  /** Null for the first. */
  readonly base: number | null
}

/** The part of an address after the `?`; null and empty values are left out. */
export type Query = Readonly<Record<string, string | number | null>>

/** The addresses of the configuration: its revisions, entities, edits, rules and proposals. */
export class ConfigurationLinks {
  readonly #base: string

  constructor(basePath: string) {
    this.#base = basePath
  }

  history(query: Query = {}): string {
    return this.address('/config', query)
  }

  /** The page of the history that has a revision, at its row. */
  historyAt(number: number, query: Query = {}): string {
    return `${this.history({ ...query, show: `r${number}` })}#r${number}`
  }

  feed(query: Query = {}): string {
    return this.address('/config/feed.atom', query)
  }

  revisionsJson(query: Query = {}): string {
    return this.address('/config/feed.json', query)
  }

  current(): string {
    return this.address('/config/current')
  }

  /**
   * The editor: of one entity where it is named, and with its text of a revision where one is
   * named.
   */
  edit(query: { readonly entity?: string; readonly from?: string } = {}): string {
    return this.address('/config/edit', { entity: query.entity ?? null, from: query.from ?? null })
  }

  /** The form of a pipeline, group, template, environment or role; `add` is a list that gets a new row. */
  form({ kind, name }: EntityPlace, query: Query = {}): string {
    return this.address(`/config/edit/${segments(kind, name)}`, query)
  }

  /** The preview of a role with one more user. */
  addToRole(role: string, user: string): string {
    return this.form({ kind: 'role', name: role }, { add: 'member', user })
  }

  /** The form of a new group, template, environment or role. */
  newEntity(kind: string): string {
    return this.address(`/config/new/${segments(kind)}`)
  }

  /** The editor with the document before a revision, merged with all that came after it. */
  editUndoing(name: string): string {
    return this.address('/config/edit', { undo: name })
  }

  /** The repository of the configuration, for git. */
  repository(): string {
    return this.address('/git/config.git')
  }

  /** The form for a new pipeline. */
  newPipeline(query: Query = {}): string {
    return this.address('/config/new-pipeline', query)
  }

  /** The live file on disk while it is not valid. */
  liveFile(query: Query = {}): string {
    return this.address('/config/live', query)
  }

  /** The editor sends a text here to find its problems. */
  checkEdit(): string {
    return this.address('/config/edit/check')
  }

  /** One revision's snapshot, named by digest, commit or `r` and its number. */
  snapshot(name: string, query: Query = {}): string {
    return this.address(`/config/${encodeURIComponent(name)}`, query)
  }

  /** The configuration in effect at a time; without a time, the action of the form for it. */
  at(time?: string): string {
    return this.address(
      time === undefined ? '/config/at' : `/config/at/${encodeURIComponent(time)}`,
    )
  }

  /** The action of the form that compares its fields `a` and `b`. */
  chooseComparison(): string {
    return this.address('/config/compare')
  }

  compare(from: string, to: string, query: Query = {}): string {
    return this.address(
      `/config/compare/${encodeURIComponent(from)}/${encodeURIComponent(to)}`,
      query,
    )
  }

  /** The changes of a revision: the whole of the first one. */
  change({ number, base }: RevisionStep, query: Query = {}): string {
    const name = `r${number}`
    return base === null ? this.snapshot(name) : this.compare(`r${base}`, name, query)
  }

  patch(from: string, to: string): string {
    return this.address(
      `/config/compare/${encodeURIComponent(from)}/${encodeURIComponent(to)}.patch`,
    )
  }

  /** Shows the secrets of a comparison; requires commits. */
  revealComparison(from: string, to: string, query: Query = {}): string {
    return this.address(`/config/compare/${segments(from, to)}/reveal`, query)
  }

  /** Shows the secrets of a snapshot; requires a commit. */
  revealSnapshot(commit: string, query: Query = {}): string {
    return this.address(`/config/${segments(commit)}/reveal`, query)
  }

  /** Acknowledges the plain secrets of a commit; requires a commit. */
  acknowledgeSecrets(commit: string): string {
    return this.address(`/config/${segments(commit)}/acknowledge-secrets`)
  }

  /** Acknowledges the overrides of a commit; requires a commit. */
  acknowledgeOverride(commit: string): string {
    return this.address(`/config/${segments(commit)}/acknowledge-override`)
  }

  /** Tags a revision. */
  tags(name: string): string {
    return this.address(`/config/${encodeURIComponent(name)}/tags`)
  }

  removeTag(name: string): string {
    return this.address(`/config/${encodeURIComponent(name)}/tags/remove`)
  }

  /** Makes a revision current again, as a new revision. */
  restore(name: string, query: Query = {}): string {
    return this.address(`/config/${encodeURIComponent(name)}/restore`, query)
  }

  /** Undoes the changes of a revision. */
  undo(name: string, query: Query = {}): string {
    return this.address(`/config/${encodeURIComponent(name)}/undo`, query)
  }

  /** Restores one entity as it was in a revision. */
  restoreEntity({ kind, name }: EntityPlace, from: string, query: Query = {}): string {
    return this.address(`${entityPath(kind, name)}/restore/${encodeURIComponent(from)}`, query)
  }

  /** The history of one pipeline, group, template, environment, role or agent; of a stage as `pipeline/stage`. */
  entity(kind: string, name: string, query: Query = {}): string {
    return this.address(entityPath(kind, name), query)
  }

  /** The changes of a revision to an entity: the whole of it in the first one. */
  entityChange(place: EntityPlace, { number, base }: RevisionStep, query: Query = {}): string {
    return this.compareEntity(place, { from: `r${base ?? number}`, to: `r${number}` }, query)
  }

  /** One such entity compared between two revisions. */
  compareEntity(
    { kind, name }: EntityPlace,
    { from, to }: { readonly from: string; readonly to: string },
    query: Query = {},
  ): string {
    const revisions = `${encodeURIComponent(from)}/${encodeURIComponent(to)}`
    return this.address(`${entityPath(kind, name)}/compare/${revisions}`, query)
  }

  /** The same difference as a patch of the whole file. */
  entityPatch({ kind, name }: EntityPlace, { from, to }: { from: string; to: string }): string {
    return this.address(`${entityPath(kind, name)}/compare/${segments(from, to)}.patch`)
  }

  /** The rules about changes. */
  rules(query: Query = {}): string {
    return this.address('/rules', query)
  }

  /** Where rules are tried on the changes of the past. */
  rulesReplay(): string {
    return this.address('/rules/replay')
  }

  /** The form of one rule: `rule` for one that is there. */
  ruleForm(query: Query = {}): string {
    return this.address('/rules/form', query)
  }

  /** The page of permissions: `group` for one group, `from` for the difference to `revision`. */
  permissions(query: Query = {}): string {
    return this.address('/permissions', query)
  }

  /** The API call that reports new revisions. */
  newestRevision(): string {
    return this.address('/api/config/revisions', { limit: 1 })
  }

  /** The API call that answers with a document's exact bytes. */
  document(digest: string): string {
    return this.address(`/api/admin/config/${digest}.xml`)
  }

  proposals(query: Query = {}): string {
    return this.address('/proposals', query)
  }

  /** Each change with those who approved it, as a page or a file. */
  report(query: Query = {}): string {
    return this.address('/report', query)
  }

  proposal(number: number, query: Query = {}): string {
    return this.address(`/proposals/${number}`, query)
  }

  /** The API call that answers with the hunks of a diff. */
  diff(from: string, to: string): string {
    return this.address(`/api/config/diff/${from}/${to}`)
  }

  protected address(path: string, query: Query = {}): string {
    const parameters = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) {
      if (value !== null && value !== '') parameters.set(name, String(value))
    }
    return `${this.#base}${path}${parameters.size > 0 ? `?${parameters.toString()}` : ''}`
  }
}

/** Parts of a path, each escaped. */
export function segments(...parts: readonly (string | number)[]): string {
  return parts.map(encodeURIComponent).join('/')
}

/** An entity that is the only one of its kind has no name. */
function entityPath(kind: string, name: string): string {
  const path = `/config/entity/${encodeURIComponent(kind)}`
  return name === '' ? path : `${path}/${encodeURIComponent(name)}`
}
