import type { EntityPlace } from '../../document/edit/entity-edits.ts'
import { agentPaths, type JobLocator } from '../../wire/agent/paths.ts'

/** A revision and the one upon which it came, by their numbers. */
export interface RevisionStep {
  readonly number: number
  /** Null for the first. */
  readonly base: number | null
}

/** The part of an address after the `?`; null and empty values are left out. */
export type Query = Readonly<Record<string, string | number | null>>

/** The names of two revisions. */
interface RevisionRange {
  readonly from: string
  readonly to: string
}

interface StageName {
  readonly pipeline: string
  readonly stage: string
}

interface StageRunName extends StageName {
  readonly pipelineCounter: number
  readonly stageCounter: number
}

interface JobName extends StageRunName {
  readonly job: string
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
  readonly root = this.#page('/')
  readonly asset = (address: string) => this.#to(`/assets/${address}`)
  /** Sets the colours. */
  readonly colours = this.#page('/colours')

  readonly history = this.#page('/config')
  /** The page of the history that has a revision, at its row. */
  readonly historyAt = (number: number, query?: Query) =>
    `${this.history({ ...query, show: `r${number}` })}#r${number}`
  readonly feed = this.#page('/config/feed.atom')
  readonly revisionsJson = this.#page('/config/feed.json')
  readonly current = this.#page('/config/current')
  /** The configuration in effect at a time, which a form gives. */
  readonly at = this.#page('/config/at')
  /** One revision's snapshot, named by digest, commit or `r` and its number. */
  readonly snapshot = (name: string, query?: Query) => this.#to(`/config/${segments(name)}`, query)
  /** Shows the secrets of a snapshot; requires a commit. */
  readonly revealSnapshot = (commit: string, query?: Query) =>
    this.#to(`/config/${segments(commit)}/reveal`, query)
  /** Acknowledges the plain secrets of a commit; requires a commit. */
  readonly acknowledgeSecrets = (commit: string) =>
    this.#to(`/config/${segments(commit)}/acknowledge-secrets`)
  /** Acknowledges the overrides of a commit; requires a commit. */
  readonly acknowledgeOverride = (commit: string) =>
    this.#to(`/config/${segments(commit)}/acknowledge-override`)
  /** Tags a revision. */
  readonly tags = (name: string) => this.#to(`/config/${segments(name)}/tags`)
  readonly removeTag = (name: string) => this.#to(`/config/${segments(name)}/tags/remove`)
  /** Makes a revision current again, as a new revision. */
  readonly restore = (name: string, query?: Query) =>
    this.#to(`/config/${segments(name)}/restore`, query)
  /** The runs that a revision scheduled. */
  readonly revisionRuns = (name: string, query?: Query) =>
    this.#to(`/config/${segments(name)}/runs`, query)
  /** Undoes the changes of a revision. */
  readonly undo = (name: string, query?: Query) => this.#to(`/config/${segments(name)}/undo`, query)
  /** The live file on disk while it is not valid. */
  readonly liveFile = this.#page('/config/live')
  /** The repository of the configuration, for git. */
  readonly repository = this.#page('/git/config.git')

  /** The action of the form that compares its fields `a` and `b`. */
  readonly chooseComparison = this.#page('/config/compare')
  readonly compare = (from: string, to: string, query?: Query) =>
    this.#to(`/config/compare/${segments(from, to)}`, query)
  /** The changes of a revision: the whole of the first one. */
  readonly change = ({ number, base }: RevisionStep, query?: Query) =>
    base === null ? this.snapshot(`r${number}`) : this.compare(`r${base}`, `r${number}`, query)
  readonly patch = (from: string, to: string) =>
    this.#to(`/config/compare/${segments(from, to)}.patch`)
  /** Shows the secrets of a comparison; requires commits. */
  readonly revealComparison = (from: string, to: string, query?: Query) =>
    this.#to(`/config/compare/${segments(from, to)}/reveal`, query)

  /** The history of one pipeline, group, template, environment, role or agent; of a stage as `pipeline/stage`. */
  readonly entity = (kind: string, name: string, query?: Query) =>
    this.#to(entityPath({ kind, name }), query)
  /** The changes of a revision to an entity: the whole of it in the first one. */
  readonly entityChange = (place: EntityPlace, { number, base }: RevisionStep, query?: Query) =>
    this.compareEntity(place, { from: `r${base ?? number}`, to: `r${number}` }, query)
  /** One such entity compared between two revisions. */
  readonly compareEntity = (place: EntityPlace, { from, to }: RevisionRange, query?: Query) =>
    this.#to(`${entityPath(place)}/compare/${segments(from, to)}`, query)
  /** The same difference as a patch of the whole file. */
  readonly entityPatch = (place: EntityPlace, { from, to }: RevisionRange) =>
    this.#to(`${entityPath(place)}/compare/${segments(from, to)}.patch`)
  /** Restores one entity as it was in a revision. */
  readonly restoreEntity = (place: EntityPlace, from: string, query?: Query) =>
    this.#to(`${entityPath(place)}/restore/${segments(from)}`, query)
  /** Undoes what a revision changed of one entity. */
  readonly undoEntity = (place: EntityPlace, name: string, query?: Query) =>
    this.#to(`${entityPath(place)}/undo/${segments(name)}`, query)

  /** The editor: of one `entity` where it is named, and with its text `from` a revision where one is named. */
  readonly edit = this.#page('/config/edit')
  /** The editor sends a text here to find its problems. */
  readonly checkEdit = this.#page('/config/edit/check')
  /** The editor with the document before a revision, merged with all that came after it. */
  readonly editUndoing = (name: string) => this.edit({ undo: name })
  /** The form of a pipeline, group, template, environment or role; `add` is a list that gets a new row. */
  readonly form = ({ kind, name }: EntityPlace, query?: Query) =>
    this.#to(`/config/edit/${segments(kind, name)}`, query)
  /** The preview of a role with one more user. */
  readonly addToRole = (role: string, user: string) =>
    this.form({ kind: 'role', name: role }, { add: 'member', user })
  /** The form of a new group, template, environment or role. */
  readonly newEntity = (kind: string) => this.#to(`/config/new/${segments(kind)}`)
  readonly newPipeline = this.#page('/config/new-pipeline')

  /** The rules about changes. */
  readonly rules = this.#page('/rules')
  /** Where rules are tried on the changes of the past. */
  readonly rulesReplay = this.#page('/rules/replay')
  /** The form of one rule. */
  readonly ruleForm = this.#page('/rules/form')
  readonly proposals = this.#page('/proposals')
  readonly proposal = (number: number, query?: Query) => this.#to(`/proposals/${number}`, query)
  /** Each change with those who approved it, as a page or a file. */
  readonly report = this.#page('/report')
  /** The page of permissions: `group` for one group, `from` for the difference to `revision`. */
  readonly permissions = this.#page('/permissions')

  readonly pipelines = this.#page('/pipelines')
  /** The runs of a pipeline. */
  readonly pipeline = (name: string, query?: Query) =>
    this.#to(`/pipelines/${segments(name)}`, query)
  /** The form of a run with options. */
  readonly triggerPipeline = (name: string) => this.#to(`/pipelines/${segments(name)}/trigger`)
  /** The differences between two runs of a pipeline, by their counters or since the last that passed. */
  readonly compareRuns = (
    pipeline: string,
    { from, to }: { readonly from: number | 'last-passed'; readonly to: number },
    query?: Query,
  ) => this.#to(`/pipelines/${segments(pipeline)}/compare/${from}/${to}`, query)
  /** The runs of a stage. */
  readonly stage = ({ pipeline, stage }: StageName, query?: Query) =>
    this.#to(`/stages/${segments(pipeline, stage)}`, query)
  /** One run of a stage. */
  readonly stageRun = (run: StageRunName, query?: Query) => this.#to(runPath(run), query)
  /** One job of a run. */
  readonly job = (job: JobName, query?: Query) => this.#to(jobPath(job), query)
  /** The lines of a job's console from one on, as HTML for a page. */
  readonly consoleLines = (job: JobName) => this.#to(`${jobPath(job)}/console`)
  /** A file that a job made, or its console. */
  readonly file = (place: JobLocator, path: string) => this.#to(agentPaths.file(place, path))

  readonly agents = this.#page('/agents')
  /** One agent, with the jobs that it ran. */
  readonly agent = (uuid: string, query?: Query) => this.#to(`/agents/${segments(uuid)}`, query)
  /** The form for an invitation of an agent, and those that are open. */
  readonly invitations = this.#page('/agent-invitations')
  /** The steps of an agent's removal. */
  readonly removeAgent = (uuid: string, query?: Query) =>
    this.#to(`/agents/${segments(uuid)}/remove`, query)
  /** The steps of the removal of several agents. */
  readonly removeAgents = (query: readonly (readonly [name: string, value: string])[]) => {
    const parameters = new URLSearchParams()
    for (const [name, value] of query) parameters.append(name, value)
    return `${this.#to('/agents/remove')}?${parameters.toString()}`
  }

  readonly audit = this.#page('/audit')
  /** The search of all that has a name or a text. */
  readonly search = this.#page('/search')
  /** The same as data, for the palette. */
  readonly searchResults = this.#page('/search/results.json')
  /** The servers that share a database. */
  readonly servers = this.#page('/servers')
  /** The page of problems for operators. */
  readonly problems = this.#page('/problems')
  /** Polls a material that cannot be read. */
  readonly retryMaterial = (fingerprint: string) =>
    this.#to(`/problems/materials/${segments(fingerprint)}`)
  /** Removes the oldest consoles and artifacts. */
  readonly freeRoom = this.#page('/problems/room')
  /** The maintenance mode. */
  readonly maintenance = this.#page('/maintenance')
  /** The deliveries to receivers of events. */
  readonly webhooks = this.#page('/webhooks')
  readonly users = this.#page('/users')
  readonly user = (name: string, query?: Query) => this.#to(`/users/${segments(name)}`, query)

  /** The form of a log-in. */
  readonly login = this.#page('/login')
  /** Where a log-in by OpenID Connect begins. */
  readonly oidcLogin = this.#page('/login/oidc')
  readonly logOut = this.#page('/log-out')
  /** The caller's own tokens. */
  readonly tokens = this.#page('/tokens')
  /** The caller's own password, sessions, and news by mail. */
  readonly account = this.#page('/account')
  /** The action of the form about news by mail. */
  readonly mailSubscription = this.#page('/account/mail')

  /** The description of the interface as a page. */
  readonly api = this.#page('/api')
  readonly openApi = this.#page('/api/openapi.json')
  /** The API call that reports the newest revision. */
  readonly newestRevision = () => this.#to('/api/config/revisions', { limit: 1 })
  /** The API call that answers with a document's exact bytes. */
  readonly document = (digest: string) => this.#to(`/api/admin/config/${digest}.xml`)
  /** The API call that answers with the hunks of a diff. */
  readonly diff = (from: string, to: string) => this.#to(`/api/config/diff/${from}/${to}`)
  /** The problems as JSON. */
  readonly health = this.#page('/health')
  /** A script checks here whether the service is reachable; proxies often block /health. */
  readonly alive = this.#page('/health/live')

  /** A page at a fixed path. */
  #page(path: string): (query?: Query) => string {
    return (query) => this.#to(path, query)
  }

  #to(path: string, query: Query = {}): string {
    const parameters = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) {
      if (value !== null && value !== '') parameters.set(name, String(value))
    }
    return `${this.#base}${path}${parameters.size > 0 ? `?${parameters.toString()}` : ''}`
  }
}

/** Parts of a path, each escaped. */
function segments(...parts: readonly (string | number)[]): string {
  return parts.map(encodeURIComponent).join('/')
}

/** An entity that is the only one of its kind has no name. */
function entityPath({ kind, name }: EntityPlace): string {
  return name === '' ? `/config/entity/${segments(kind)}` : `/config/entity/${segments(kind, name)}`
}

function runPath({ pipeline, stage, pipelineCounter, stageCounter }: StageRunName): string {
  return `/stages/${segments(pipeline, stage, pipelineCounter, stageCounter)}`
}

function jobPath({ job, ...run }: JobName): string {
  return `${runPath(run)}/${segments(job)}`
}
