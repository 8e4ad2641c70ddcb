import type { EntityPlace } from '../../document/edit/entity-edits.ts'
import { agentPaths, type JobLocator } from '../../wire/agent/paths.ts'

interface StageName {
  readonly pipeline: string
  readonly stage: string
}

interface StageRunName extends StageName {
  readonly pipelineCounter: number
  readonly stageCounter: number
}

/** A revision and the one upon which it came, by their numbers. */
export interface RevisionStep {
  readonly number: number
  /** Null for the first. */
  readonly base: number | null
}

/** The part of an address after the `?`; null and empty values are left out. */
export type Query = Readonly<Record<string, string | number | null>>

/** An entity that is the only one of its kind has no name. */
function entityPath(kind: string, name: string): string {
  const path = `/config/entity/${encodeURIComponent(kind)}`
  return name === '' ? path : `${path}/${encodeURIComponent(name)}`
}

/**
 * Builds every address that a page links to, with the base path. Pages build no address by hand.
 */
export class Links {
  readonly #base: string

  constructor(basePath: string) {
    this.#base = basePath
  }

  /** The path of the cookies that pages set. */
  root(): string {
    return `${this.#base}/`
  }

  history(query: Query = {}): string {
    return this.#at('/config', query)
  }

  /** The page of the history that has a revision, at its row. */
  historyAt(number: number, query: Query = {}): string {
    return `${this.history({ ...query, show: `r${number}` })}#r${number}`
  }

  feed(query: Query = {}): string {
    return this.#at('/config/feed.atom', query)
  }

  revisionsJson(query: Query = {}): string {
    return this.#at('/config/feed.json', query)
  }

  current(): string {
    return this.#at('/config/current')
  }

  /** The description of the interface as a page. */
  api(): string {
    return this.#at('/api')
  }

  audit(query: Query = {}): string {
    return this.#at('/audit', query)
  }

  /** The search of all that has a name or a text. */
  search(query: Query = {}): string {
    return this.#at('/search', query)
  }

  /** The same as data, for the palette. */
  searchResults(): string {
    return this.#at('/search/results.json')
  }

  /** The servers that share a database. */
  servers(): string {
    return this.#at('/servers')
  }

  /** The page of problems for operators. */
  problems(query: Query = {}): string {
    return this.#at('/problems', query)
  }

  /** Polls a material that cannot be read. */
  retryMaterial(fingerprint: string): string {
    return this.#at(`/problems/materials/${encodeURIComponent(fingerprint)}`)
  }

  /** Removes the oldest consoles and artifacts. */
  freeRoom(): string {
    return this.#at('/problems/room')
  }

  /** The problems as JSON. */
  health(): string {
    return this.#at('/health')
  }

  openApi(): string {
    return this.#at('/api/openapi.json')
  }

  /**
   * The editor: of one entity where it is named, and with its text of a revision where one is
   * named.
   */
  edit(query: { readonly entity?: string; readonly from?: string } = {}): string {
    return this.#at('/config/edit', { entity: query.entity ?? null, from: query.from ?? null })
  }

  /** The form of a pipeline, group, template, environment or role; `add` is a list that gets a new row. */
  form({ kind, name }: EntityPlace, query: Query = {}): string {
    return this.#at(`/config/edit/${segments(kind, name)}`, query)
  }

  /** The preview of a role with one more user. */
  addToRole(role: string, user: string): string {
    return this.form({ kind: 'role', name: role }, { add: 'member', user })
  }

  /** The form of a new group, template, environment or role. */
  newEntity(kind: string): string {
    return this.#at(`/config/new/${segments(kind)}`)
  }

  /** The editor with the document before a revision, merged with all that came after it. */
  editUndoing(name: string): string {
    return this.#at('/config/edit', { undo: name })
  }

  /** The repository of the configuration, for git. */
  repository(): string {
    return this.#at('/git/config.git')
  }

  /** The form for a new pipeline. */
  newPipeline(query: Query = {}): string {
    return this.#at('/config/new-pipeline', query)
  }

  /** The live file on disk while it is not valid. */
  liveFile(query: Query = {}): string {
    return this.#at('/config/live', query)
  }

  /** A script checks here whether the service is reachable; proxies often block /health. */
  alive(): string {
    return this.#at('/health/live')
  }

  /** The editor sends a text here to find its problems. */
  checkEdit(): string {
    return this.#at('/config/edit/check')
  }

  /** One revision's snapshot, named by digest, commit or `r` and its number. */
  snapshot(name: string, query: Query = {}): string {
    return this.#at(`/config/${encodeURIComponent(name)}`, query)
  }

  /** The configuration in effect at a time; without a time, the action of the form for it. */
  at(time?: string): string {
    return this.#at(time === undefined ? '/config/at' : `/config/at/${encodeURIComponent(time)}`)
  }

  /** The action of the form that compares its fields `a` and `b`. */
  chooseComparison(): string {
    return this.#at('/config/compare')
  }

  compare(from: string, to: string, query: Query = {}): string {
    return this.#at(`/config/compare/${encodeURIComponent(from)}/${encodeURIComponent(to)}`, query)
  }

  /** The changes of a revision: the whole of the first one. */
  change({ number, base }: RevisionStep, query: Query = {}): string {
    const name = `r${number}`
    return base === null ? this.snapshot(name) : this.compare(`r${base}`, name, query)
  }

  patch(from: string, to: string): string {
    return this.#at(`/config/compare/${encodeURIComponent(from)}/${encodeURIComponent(to)}.patch`)
  }

  /** Shows the secrets of a comparison; requires commits. */
  revealComparison(from: string, to: string, query: Query = {}): string {
    return this.#at(`/config/compare/${segments(from, to)}/reveal`, query)
  }

  /** Shows the secrets of a snapshot; requires a commit. */
  revealSnapshot(commit: string, query: Query = {}): string {
    return this.#at(`/config/${segments(commit)}/reveal`, query)
  }

  /** Acknowledges the plain secrets of a commit; requires a commit. */
  acknowledgeSecrets(commit: string): string {
    return this.#at(`/config/${segments(commit)}/acknowledge-secrets`)
  }

  /** Acknowledges the overrides of a commit; requires a commit. */
  acknowledgeOverride(commit: string): string {
    return this.#at(`/config/${segments(commit)}/acknowledge-override`)
  }

  /** Tags a revision. */
  tags(name: string): string {
    return this.#at(`/config/${encodeURIComponent(name)}/tags`)
  }

  removeTag(name: string): string {
    return this.#at(`/config/${encodeURIComponent(name)}/tags/remove`)
  }

  /** Makes a revision current again, as a new revision. */
  restore(name: string, query: Query = {}): string {
    return this.#at(`/config/${encodeURIComponent(name)}/restore`, query)
  }

  /** Undoes the changes of a revision. */
  undo(name: string, query: Query = {}): string {
    return this.#at(`/config/${encodeURIComponent(name)}/undo`, query)
  }

  /** Restores one entity as it was in a revision. */
  restoreEntity({ kind, name }: EntityPlace, from: string, query: Query = {}): string {
    return this.#at(`${entityPath(kind, name)}/restore/${encodeURIComponent(from)}`, query)
  }

  /** The history of one pipeline, group, template, environment, role or agent; of a stage as `pipeline/stage`. */
  entity(kind: string, name: string, query: Query = {}): string {
    return this.#at(entityPath(kind, name), query)
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
    return this.#at(`${entityPath(kind, name)}/compare/${revisions}`, query)
  }

  /** The same difference as a patch of the whole file. */
  entityPatch({ kind, name }: EntityPlace, { from, to }: { from: string; to: string }): string {
    return this.#at(`${entityPath(kind, name)}/compare/${segments(from, to)}.patch`)
  }

  agents(query: Query = {}): string {
    return this.#at('/agents', query)
  }

  /** One agent, with the jobs that it ran. */
  agent(uuid: string, query: Query = {}): string {
    return this.#at(`/agents/${encodeURIComponent(uuid)}`, query)
  }

  /** The form for an invitation of an agent, and those that are open. */
  invitations(query: Query = {}): string {
    return this.#at('/agent-invitations', query)
  }

  /** The steps of an agent's removal. */
  removeAgent(uuid: string, query: Query = {}): string {
    return this.#at(`/agents/${encodeURIComponent(uuid)}/remove`, query)
  }

  /** The steps of the removal of several agents. */
  removeAgents(query: readonly (readonly [name: string, value: string])[]): string {
    const parameters = new URLSearchParams()
    for (const [name, value] of query) parameters.append(name, value)
    return `${this.#at('/agents/remove')}?${parameters.toString()}`
  }

  pipelines(query: Query = {}): string {
    return this.#at('/pipelines', query)
  }

  /** The form of a run with options. */
  triggerPipeline(name: string): string {
    return this.#at(`/pipelines/${encodeURIComponent(name)}/trigger`)
  }

  /** The runs of a pipeline. */
  pipeline(name: string, query: Query = {}): string {
    return this.#at(`/pipelines/${encodeURIComponent(name)}`, query)
  }

  /** The differences between two runs of a pipeline, by their counters or since the last that passed. */
  compareRuns(
    pipeline: string,
    { from, to }: { readonly from: number | 'last-passed'; readonly to: number },
    query: Query = {},
  ): string {
    return this.#at(`/pipelines/${encodeURIComponent(pipeline)}/compare/${from}/${to}`, query)
  }

  /** The runs of a stage. */
  stage({ pipeline, stage }: StageName, query: Query = {}): string {
    return this.#at(`/stages/${segments(pipeline, stage)}`, query)
  }

  /** One run of a stage. */
  stageRun(run: StageRunName, query: Query = {}): string {
    return this.#at(`/stages/${stageSegments(run)}`, query)
  }

  /** One job of a run. */
  job({ job, ...run }: StageRunName & { readonly job: string }, query: Query = {}): string {
    return this.#at(`/stages/${stageSegments(run)}/${segments(job)}`, query)
  }

  /** The lines of a job's console from one on, as HTML for a page. */
  consoleLines({ job, ...run }: StageRunName & { readonly job: string }): string {
    return this.#at(`/stages/${stageSegments(run)}/${segments(job)}/console`)
  }

  /** A file that a job made, or its console. */
  file(place: JobLocator, path: string): string {
    return this.#at(agentPaths.file(place, path))
  }

  /** Sets the colours. */
  colours(): string {
    return this.#at('/colours')
  }

  /** The form of a log-in. */
  login(): string {
    return this.#at('/login')
  }

  /** Where a log-in by OpenID Connect begins. */
  oidcLogin(query: Query = {}): string {
    return this.#at('/login/oidc', query)
  }

  /** The caller's own tokens. */
  tokens(query: Query = {}): string {
    return this.#at('/tokens', query)
  }

  /** The caller's own password, sessions, and news by mail. */
  account(query: Query = {}): string {
    return this.#at('/account', query)
  }

  /** The action of the form about news by mail. */
  mailSubscription(): string {
    return this.#at('/account/mail')
  }

  /** The page of users. */
  users(query: Query = {}): string {
    return this.#at('/users', query)
  }

  user(name: string, query: Query = {}): string {
    return this.#at(`/users/${encodeURIComponent(name)}`, query)
  }

  /** The rules about changes. */
  rules(query: Query = {}): string {
    return this.#at('/rules', query)
  }

  /** Where rules are tried on the changes of the past. */
  rulesReplay(): string {
    return this.#at('/rules/replay')
  }

  /** The form of one rule: `rule` for one that is there. */
  ruleForm(query: Query = {}): string {
    return this.#at('/rules/form', query)
  }

  /** The maintenance mode. */
  maintenance(query: Query = {}): string {
    return this.#at('/maintenance', query)
  }

  /** The deliveries to receivers of events. */
  webhooks(query: Query = {}): string {
    return this.#at('/webhooks', query)
  }

  /** The page of permissions: `group` for one group, `from` for the difference to `revision`. */
  permissions(query: Query = {}): string {
    return this.#at('/permissions', query)
  }

  logOut(): string {
    return this.#at('/log-out')
  }

  asset(address: string): string {
    return this.#at(`/assets/${address}`)
  }

  /** The API call that reports new revisions. */
  newestRevision(): string {
    return this.#at('/api/config/revisions', { limit: 1 })
  }

  /** The API call that answers with a document's exact bytes. */
  document(digest: string): string {
    return this.#at(`/api/admin/config/${digest}.xml`)
  }

  /** The API call that answers with the hunks of a diff. */
  proposals(query: Query = {}): string {
    return this.#at('/proposals', query)
  }

  /** Each change with those who approved it, as a page or a file. */
  report(query: Query = {}): string {
    return this.#at('/report', query)
  }

  proposal(number: number, query: Query = {}): string {
    return this.#at(`/proposals/${number}`, query)
  }

  diff(from: string, to: string): string {
    return this.#at(`/api/config/diff/${from}/${to}`)
  }

  #at(path: string, query: Query = {}): string {
    const parameters = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) {
      if (value !== null && value !== '') parameters.set(name, String(value))
    }
    return `${this.#base}${path}${parameters.size > 0 ? `?${parameters.toString()}` : ''}`
  }
}

function segments(...parts: readonly (string | number)[]): string {
  return parts.map(encodeURIComponent).join('/')
}

function stageSegments(run: StageRunName): string {
  return segments(run.pipeline, run.stage, run.pipelineCounter, run.stageCounter)
}
